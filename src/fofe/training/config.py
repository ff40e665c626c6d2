"""The configuration of a training run, as it stands in a TOML file."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from fofe.base.errors import ConfigError, SettingError
from fofe.base.settings import build, read_toml, require, toml_value
from fofe.decode import STRATEGIES
from fofe.features.config import ModelConfig
from fofe.tagging.installed import HUB, holds_model
from fofe.training.annotation import AROUND, IN_DOUBT, INSIDE, KINDS, NEGATIVE, OTHER_TYPES, UNANNOTATED
from fofe.training.recase import CASES

OPTIMISERS = ("adamw", "sgd")
SCHEDULES = ("linear", "geometric", "constant")
SHUFFLED = ("sentences", "fragments")
PRECISIONS = ("float32", "bfloat16")

START = Path(__file__).with_name("start.toml")
"""The configuration to start from, which needs nothing but a corpus."""

Files = TypeVar("Files", bound="DataConfig")


@dataclass(frozen=True)
class DataConfig:
    """One corpus, annotated in full; without `dev` and `test` the training sentences are split 90:5:5."""

    train: tuple[str, ...]
    dev: str | None = None
    test: str | None = None
    format: str | None = None
    """One of `fofe.formats.FORMATS`; recognised from the file where it is not given."""
    token_column: int = 0
    tag_column: int = -1
    tag_names: tuple[str, ...] = ()
    """The names of Hugging Face tags that are numbers, from 0."""
    retokenise: bool = False
    """Whether sentences are tokenised again, by the rules of the model's language."""

    def __post_init__(self) -> None:
        if not self.train:
            raise SettingError("train must list at least one file")


@dataclass(frozen=True)
class CorpusConfig(DataConfig):
    """One of several corpora, and what its annotation says."""

    name: str = field(kw_only=True)
    types: tuple[str, ...] | None = None
    """The types whose mentions are all annotated; without it, all that occur."""
    kinds: tuple[str, ...] | None = None
    """The kinds of which the same is true."""
    labels: dict[str, Any] = field(default_factory=dict)
    """The model's label, or several of which it is one, for types or labels of the corpus."""
    nested: bool | None = None
    """Whether mentions inside others are annotated; found out from the corpus where it is not given."""
    inside: str = OTHER_TYPES
    """In a flat corpus and a nested model: what fragments strictly inside a mention count as."""
    around: str = NEGATIVE
    """The same for fragments that hold a mention and more."""
    unannotated: str = NEGATIVE
    """How training fragments count that overlap no mention."""
    heads: bool = False
    """Whether nominals are reduced to their head words."""
    bare_names: bool = False
    """Whether names lose a determiner before them and a possessive 's behind them."""
    weight: float = 1.0
    """A factor of the loss of each of its fragments."""
    share: float = 1.0
    """The share of its sentences that an epoch sees."""
    scored: bool = True
    """Whether the model is evaluated on it. If not, all of it is training text, and it chooses nothing."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name:
            raise SettingError("name must not be empty")
        for key, allowed in (("inside", INSIDE), ("around", AROUND), ("unannotated", UNANNOTATED)):
            require(self, key, allowed.__contains__, f"must be one of {', '.join(map(repr, allowed))}")
        require(self, "kinds", KINDS.__contains__, f"must be among {', '.join(KINDS)}")
        require(self, "weight", lambda value: value > 0, "must be above 0")
        require(self, "share", lambda value: 0 < value <= 1, "lies above 0 and is at most 1")
        if not self.scored and (self.dev or self.test):
            raise SettingError("a corpus with scored = false has neither dev nor test")
        if not self.scored and self.unannotated == IN_DOUBT:
            raise SettingError(f"unannotated = {IN_DOUBT!r} needs a dev set; scored = false has none")
        if self.nested and (self.inside, self.around) != (OTHER_TYPES, NEGATIVE):
            raise SettingError("inside and around are for flat corpora; this one has nested = true")
        object.__setattr__(self, "labels", {key: _labels(key, value) for key, value in self.labels.items()})


def _labels(key: str, value: object) -> tuple[str, ...]:
    """A label or a list of labels, as they may stand in a mapping."""
    labels = [value] if isinstance(value, str) else value
    if isinstance(labels, (list, tuple)) and all(isinstance(label, str) and label for label in labels):
        return tuple(labels)
    raise SettingError(f"labels.{key} must be a label or a list of labels, not {value!r}")


@dataclass(frozen=True)
class SamplingConfig:
    """The share of fragments of each kind that an epoch sees, drawn anew each time."""

    exact: float = 1.0
    overlapping: float = 0.36
    disjoint: float = 0.09
    replace_rare: float = 0.3
    """A training word seen c times is shown as unknown with probability r / (r + c)."""
    lower: float = 0.0
    """The share of sentences that an epoch shows in lower case."""
    upper: float = 0.0
    """The same in capitals."""
    title: float = 0.0
    """The same in Title Case."""

    def __post_init__(self) -> None:
        shares = "exact overlapping disjoint lower upper title"
        require(self, shares, lambda value: 0 <= value <= 1, "is a share between 0 and 1")
        require(self, "replace_rare", lambda value: value >= 0, "must not be negative")
        if sum(self.cases.values()) > 1:
            raise SettingError("lower, upper and title are at most 1 together")

    @property
    def rates(self) -> tuple[float, ...]:
        """The share of each category of fragments, as `fofe.training.examples` numbers them."""
        return (self.exact, self.overlapping, self.disjoint, 0.0)

    @property
    def cases(self) -> dict[str, float]:
        """The other cases that sentences are shown in, with their shares."""
        return {case: share for case in CASES if (share := getattr(self, case))}


@dataclass(frozen=True)
class TrainingConfig:
    """How the weights are learned."""

    epochs: int = 40
    batch: int = 512
    shuffle: str = "sentences"
    """What an epoch shuffles: sentences with all their fragments, or the fragments of the whole corpus."""
    optimiser: str = "adamw"
    rate: float = 0.001
    schedule: str = "linear"
    final_rate: float = 0.0
    """The last rates, as a share of the first."""
    word_rate: float = 0.05
    """Plain SGD for the word vectors: moves frequent words more than rare ones."""
    character_rate: float | None = None
    """For everything that reads characters; the same as `rate` where it is not given."""
    momentum: float = 0.9
    cnn_with_layers: bool = False
    """Whether the character CNN is trained like the layers: with `rate` and, by SGD, with momentum."""
    weight_decay: float = 0.01
    clip: float = 0.0
    """The largest norm of the network's gradients, which are scaled down to it; 0 for any."""
    encoder_rate: float = 0.0
    """Of the language models of encoder views; 0 leaves them as they are."""
    encoder_decay: float = 0.9
    """What the rate of each layer of a language model is multiplied by for the layer below it."""
    warmup: float = 0.1
    """The share of training over which the rates of language models rise from 0."""
    encoder_cache: str | None = None
    """Where the vectors of language models that are not trained are kept; by default with the run."""
    input_dropout: float = 0.1
    final_input_dropout: float | None = None
    window_dropout: float = 0.0
    """Of the word vectors that window views read."""
    context_dropout: float = 0.0
    """Of what the context layers of window views read."""
    dropout: float = 0.4
    final_dropout: float | None = None
    """Dropout falls over the epochs, by a factor if the rates do; without a final value it stays."""
    average: float = 0.998
    """Decay of the running average of the weights that is evaluated and kept; 0 for none."""
    evaluate_every: int = 1
    evaluate_from: int = 1
    """The first epoch after which the dev set may be scored."""
    patience: int = 0
    """Stop after this many evaluations without a better dev F1; 0 for never."""
    teachers: tuple[str, ...] = ()
    """Models whose mean probabilities are learned besides the labels, as soft targets."""
    distillation_weight: float = 0.7
    """The weight of the soft targets; the labels have the rest."""
    temperature: float = 1.0
    """What the log-odds of teachers and student are divided by; above 1, unlikely labels count for more."""
    text_share: float = 0.5
    """In distillation over plain text: the share of an epoch that is plain text."""
    threads: int = 1
    """Of PyTorch. The bits of the weights depend on it."""
    device: str = "auto"
    precision: str = "float32"
    """Of the products of the first layer and of language models; all else is of full precision."""
    seed: int = 1

    def __post_init__(self) -> None:
        known = {"optimiser": OPTIMISERS, "schedule": SCHEDULES, "shuffle": SHUFFLED, "precision": PRECISIONS}
        for key, allowed in known.items():
            require(self, key, allowed.__contains__, f"must be one of {', '.join(allowed)}")
        counts = "epochs batch evaluate_every evaluate_from threads"
        require(self, counts, lambda value: value >= 1, "must be at least 1")
        rates = "rate encoder_rate clip word_rate character_rate final_rate weight_decay patience seed"
        require(self, rates, lambda value: value >= 0, "must not be negative")
        dropouts = "input_dropout final_input_dropout window_dropout context_dropout dropout final_dropout"
        share = "is a share from 0 to below 1"
        require(self, f"{dropouts} average momentum warmup", lambda value: 0 <= value < 1, share)
        require(self, "text_share", lambda value: 0 < value < 1, "is a share above 0 and below 1")
        require(self, "temperature", lambda value: value > 0, "must be above 0")
        share = "is a share above 0 and at most 1"
        require(self, "distillation_weight encoder_decay", lambda value: 0 < value <= 1, share)
        if self.schedule == "geometric" and self.final_rate <= 0:
            raise SettingError("a geometric schedule needs a final_rate above 0")


@dataclass(frozen=True)
class DecodingConfig:
    """What is tried on the dev set for turning scores into mentions; the best is stored with the model."""

    nested: bool = False
    strategies: tuple[str, ...] = ("highest-first", "longest-first")
    thresholds: tuple[float, ...] = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
    agreements: tuple[float, ...] = (0.0,)
    """The weights to try for the types of the same text in nearby sentences."""

    def __post_init__(self) -> None:
        if not self.strategies or not self.thresholds or not self.agreements:
            raise SettingError("strategies, thresholds and agreements must not be empty")
        require(self, "strategies", STRATEGIES.__contains__, f"must be among {', '.join(STRATEGIES)}")
        require(self, "thresholds", lambda value: 0 <= value <= 1, "lie between 0 and 1")
        require(self, "agreements", lambda value: 0 <= value < float("inf"), "must not be negative")


@dataclass(frozen=True)
class GateConfig:
    """The narrow network that turns away most fragments before the wide layers, fitted after training."""

    enabled: bool = True
    width: int = 32
    """Its hidden units."""
    recall: float = 0.9995
    """The share of the network's own positives that it must let through, on varied training sentences."""
    sentences: int = 16000
    """How many training sentences it is fitted on, with varied copies of them."""

    def __post_init__(self) -> None:
        require(self, "recall", lambda value: 0 < value <= 1, "is a share above 0 and at most 1")
        require(self, "width sentences", lambda value: value >= 1, "must be at least 1")


@dataclass(frozen=True)
class RunConfig:
    """A whole training run, from one corpus (`data`) or several (`corpus`)."""

    data: DataConfig | None = None
    corpus: tuple[CorpusConfig, ...] = ()
    model: ModelConfig = field(default_factory=ModelConfig)
    sampling: SamplingConfig = field(default_factory=SamplingConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    decoding: DecodingConfig = field(default_factory=DecodingConfig)
    gate: GateConfig = field(default_factory=GateConfig)

    def __post_init__(self) -> None:
        if (self.data is None) == (not self.corpus):
            raise SettingError("give either [data] or one or more [[corpus]] tables")
        if self.corpus and not any(corpus.scored for corpus in self.corpus):
            raise SettingError("corpus: at least one must be scored")
        names = [corpus.name for corpus in self.corpus]
        if len(set(names)) < len(names):
            raise SettingError(f"corpus: each needs a name of its own, not {', '.join(names)}")
        vectors = {view.name: view.vectors for view in self.model.views}
        for view in self.model.views:
            if view.lookup == "lexicon" and vectors[view.holder] is None:
                whose = "its own or those of the view whose table it shares"
                raise SettingError(f"view {view.name!r}: a lexicon needs vectors, {whose}")
        if self.training.teachers and self.model.schemes:
            remedy = "drop training.teachers or model.schemes"
            raise SettingError(f"distillation does not know annotation schemes: {remedy}")

    @property
    def corpora(self) -> tuple[CorpusConfig, ...]:
        """The corpora; `data` is short for one of that name, with nested mentions if the model has them.

        A flat model says nothing of its corpus, which is then as nested as it looks.
        """
        if self.data is None:
            return self.corpus
        return (CorpusConfig(**vars(self.data), name="data", nested=self.decoding.nested or None),)


def load_config(
    path: str | Path, overrides: dict[str, Any] | None = None, folder: Path | None = None
) -> RunConfig:
    """Read a TOML configuration; file names in it are relative to it, or to a folder.

    With `extends`, it changes another file beside it: tables are joined, [[corpus]] tables are added, and
    everything else is replaced. `overrides` has dotted keys and the values that replace those in the file:
    `training.epochs`, or `model.views.cased.vectors` for the view of that name.
    """
    table = _read(Path(path))
    for key, value in (overrides or {}).items():
        _set(table, key, value, path)
    corpora = table.get("corpus")
    for corpus in [table.get("data"), *(corpora if isinstance(corpora, list) else ())]:
        if isinstance(corpus, dict) and isinstance(corpus.get("train"), str):
            corpus["train"] = [corpus["train"]]  # one file need not stand in brackets
    try:
        config = build(RunConfig, table)
    except ConfigError as error:  # that of a setting which was given is not the file's
        named = {*re.split(r"\W+", error.problem)}
        unknown = error.problem.removeprefix("unknown key ").strip("'") + "."
        given = any({*key.split(".")} <= named or f"{key}.".startswith(unknown) for key in overrides or {})
        raise ConfigError(error.problem, path=None if given else path, remedy=error.remedy) from None
    corpora = [corpus.name for corpus in config.corpora]
    if strange := [name for name in config.model.schemes if name not in corpora]:
        raise ConfigError(f"model.schemes: there is no [[corpus]] of the name {strange[0]!r}", path=path)
    return _with_paths(config, folder or Path(path).parent)


def _read(path: Path, extending: tuple[Path, ...] = ()) -> dict[str, Any]:
    """The table of a file, joined with that of the file that it extends."""
    table = read_toml(path)
    if (extended := table.pop("extends", None)) is None:
        return table
    if not isinstance(extended, str) or Path(extended).name != extended:
        raise ConfigError(f"extends must be the name of a file beside this one, not {extended!r}", path=path)
    other = path.parent / extended
    if other in (*extending, path):
        raise ConfigError(f"{extended} extends this file in turn", path=path)
    return _joined(_read(other, (*extending, path)), table)


def _joined(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    joined = old | new
    for key in old.keys() & new.keys():
        if isinstance(old[key], dict) and isinstance(new[key], dict):
            joined[key] = _joined(old[key], new[key])
        elif key == "corpus" and isinstance(old[key], list) and isinstance(new[key], list):
            joined[key] = old[key] + new[key]
    return joined


def parse_setting(setting: str) -> tuple[str, Any]:
    """The key and the value of `KEY=VALUE`; the value is TOML, and what is not is taken for a string."""
    key, separator, value = setting.partition("=")
    if not separator or not key.strip():
        raise ConfigError(f"{setting!r} is not KEY=VALUE", remedy="for example training.epochs=20")
    try:
        return key.strip(), toml_value(value)
    except ValueError:
        return key.strip(), value.strip()


def _set(table: dict[str, Any], dotted: str, value: Any, path: str | Path) -> None:
    *parents, last = dotted.split(".")
    inner: Any = table
    for parent in parents:
        if isinstance(inner, list):
            named = (item for item in inner if isinstance(item, dict) and item.get("name") == parent)
            inner = next(named, None)
        else:
            inner = inner.setdefault(parent, {})
        if not isinstance(inner, (dict, list)):
            raise ConfigError(f"{dotted!r} cannot be set: there is no table {parent!r}", path=path)
    if not isinstance(inner, dict):
        raise ConfigError(f"{dotted!r} cannot be set: {parents[-1]!r} is a list of tables", path=path)
    inner[last] = value


def _with_paths(config: RunConfig, folder: Path) -> RunConfig:
    def beside(name: str | None) -> str | None:
        return None if name is None else str(folder / name)

    def files(corpus: Files) -> Files:
        train = tuple(str(folder / name) for name in corpus.train)
        return replace(corpus, train=train, dev=beside(corpus.dev), test=beside(corpus.test))

    def teacher(name: str) -> str:
        """The directory of a model beside the configuration, or the name or address of another."""
        is_path = holds_model(folder / name) or Path(name).name != name
        return str(folder / name) if is_path and not name.startswith(HUB) else name

    model, training = config.model, config.training
    views = tuple(
        replace(view, vectors=beside(view.vectors), encoder=beside(view.encoder)) for view in model.views
    )
    gazetteer = model.gazetteer and replace(model.gazetteer, file=beside(model.gazetteer.file))
    return replace(
        config,
        training=replace(
            training,
            teachers=tuple(map(teacher, training.teachers)),
            encoder_cache=beside(training.encoder_cache),
        ),
        data=config.data and files(config.data),
        corpus=tuple(map(files, config.corpus)),
        model=replace(model, views=views, gazetteer=gazetteer),
    )
