"""A corpus and a model small enough to be made while the tests run."""

from __future__ import annotations

import gc
import importlib
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import HealthCheck, settings

from fofe.tagging.installed import SHIPPED

if TYPE_CHECKING:
    from fofe.tagging.model import Model

# One thread for NumPy and torch, here and in the processes that tests start: set before they are loaded.
# Several threads gain nothing on arrays this small, and beside a busy process they wait for each other.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

# What is trained, and so what the documentation shows, depends on the instructions of the processor.
# These are the ones that all current x86-64 processors have.
if platform.machine() == "x86_64":
    os.environ.update(
        ATEN_CPU_CAPABILITY="avx2", MKL_CBWR="AVX2", ONEDNN_MAX_CPU_ISA="AVX2", OPENBLAS_CORETYPE="Haswell"
    )

# A slow machine must not fail a property that holds.
settings.register_profile("fofe", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fofe")


LONG = (
    "test_docs.py",
    "test_spark.py",
    "test_page.py",
    "training/test_run.py",
    "test_search.py",
    "test_distributed.py",
    "test_real_pages.py",
    "test_openapi.py",
)
"""The files that take longest, most of them with few tests."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep xdist from putting the files with few tests last."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, so that no process waits for another at the end."""
    items.sort(key=lambda item: not item.path.as_posix().endswith(LONG))


class DiskStates(Protocol):
    def __call__(self, folder: Path, copies: Path, work: Callable[[], object]) -> list[Path]: ...


@pytest.fixture(scope="session")
def disk_states() -> DiskStates:
    """Copies of a folder in every state that a kill could leave: before each file operation of some work."""
    watch: Callable[[], None] | None = None

    def hook(event: str, _: object) -> None:
        if watch is not None and event.partition(".")[0] in ("open", "os", "shutil", "tempfile"):
            watch()

    sys.addaudithook(hook)

    def states(folder: Path, copies: Path, work: Callable[[], object]) -> list[Path]:
        nonlocal watch
        found: dict[str, Path] = {}

        def copy() -> None:
            nonlocal watch
            watch = None  # not for the operations of copying
            content = [(file, file.is_file() and file.read_bytes()) for file in sorted(folder.rglob("*"))]
            if str(content) not in found:
                found[str(content)] = shutil.copytree(folder, copies / str(len(found)))
            watch = copy

        watch = copy
        try:
            work()
            copy()
        finally:
            watch = None
        return list(found.values())

    return states


USUAL_SECONDS = 0.1
"""What `slowness` takes on a usual machine."""


class LeastSeconds(Protocol):
    def __call__(self, work: Callable[[], object], enough: float = 0.0) -> float: ...


@pytest.fixture(scope="session")
def least_seconds() -> LeastSeconds:
    """The least processor time of three runs, or of the first that takes less than `enough`.

    It is what a machine of usual speed would need: the time here over how much slower this machine is at the
    moment. A single run says little on a busy machine, and a garbage collection visits what other tests left.
    """

    def measure(work: Callable[[], object], enough: float = 0.0) -> float:
        least = float("inf")
        gc.disable()
        try:
            for _ in range(3):
                begun = time.process_time()
                work()
                taken = time.process_time() - begun
                least = min(least, taken if taken < enough else taken / slowness())
                if least < enough:
                    break
        finally:
            gc.enable()
        return least

    return measure


def slowness() -> float:
    """How many times slower this machine is at the moment than a usual one; at least 1."""
    begun = time.process_time()
    sum(number * number for number in range(1_000_000))
    return max(1.0, (time.process_time() - begun) / USUAL_SECONDS)


PEOPLE = ("Anna Berg", "Omar Haddad", "Li Wei", "Grace Otieno", "Jan Novak", "Petra Lindqvist", "Sam Hill")
PLACES = ("Bergen", "Leeds", "Nairobi", "Porto", "New Delhi", "Osaka", "Lima", "Tampere")
COMPANIES = ("Acme", "Nordwind Shipping", "Brightwater", "Hill & Sons", "Orbit Foods")
TEMPLATES = (
    "{PER:Anna Berg} met the {PER_NOM:mayor} of {GPE:Bergen}.",
    "The {ORG:University of {GPE:Leeds}} hired {PER:Omar Haddad} in 2014.",
    "{ORG:Acme} opened an office in {GPE:Porto}, said its {PER_NOM:founder}.",
    "In {GPE:Lima} it rained all day.",
    "Shares of {ORG:Acme} fell 3.5 % after {PER:Li Wei} left the {ORG_NOM:company}.",
    "It was a quiet morning and nobody came.",
)

CONFIG = """\
[data]
train = ["train.jsonl"]
dev = "dev.jsonl"

[model]
max_words = 4
hidden = [32]

[[model.views]]
name = "cased"
lookup = "cased"
dimension = 12

[[model.views]]
name = "uncased"
lookup = "uncased"
dimension = 12

[[model.views]]
name = "spelling"
lookup = "spelling"
dimension = 12
character_dimension = 8

[model.characters]
dimension = 8
heights = [2, 3]
kernels = 4

[training]
epochs = 8
batch = 64
rate = 0.01
word_rate = 0.5
input_dropout = 0.1
dropout = 0.1
average = 0.95
evaluate_every = 2

[decoding]
nested = true
strategies = ["highest-first", "non-crossing"]
thresholds = [0.3, 0.5, 0.7]
"""


def _fill(template: str, draw: random.Random) -> dict[str, object]:
    """A document from a template: every `{LABEL:example}` becomes a mention, with another name for names."""
    fillers = {"PER": PEOPLE, "GPE": PLACES, "ORG": COMPANIES}
    text = ""
    mentions: list[dict[str, object]] = []
    open_mentions: list[tuple[str, int]] = []
    position = 0
    while position < len(template):
        character = template[position]
        if character == "{":
            colon = template.index(":", position)
            label = template[position + 1 : colon]
            open_mentions.append((label, len(text)))
            position = colon + 1
            end = template.index("}", position)
            if label in fillers and "{" not in template[position:end]:
                text += draw.choice(fillers[label])
                position = end
        elif character == "}":
            label, start = open_mentions.pop()
            mentions.append({"start": start, "end": len(text), "type": label})
            position += 1
        else:
            text += character
            position += 1
    return {"text": text, "mentions": mentions}


def _write_corpus(path: Path, documents: int, seed: int) -> None:
    draw = random.Random(seed)
    with path.open("w", encoding="utf-8") as stream:
        for number in range(documents):
            document = _fill(TEMPLATES[number % len(TEMPLATES)], draw)
            stream.write(json.dumps({"id": f"{path.stem}-{number}", **document}) + "\n")


@pytest.fixture(scope="session")
def tiny_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A configuration beside a corpus of 150 short documents with names, nominals and a nested mention."""
    folder = tmp_path_factory.mktemp("tiny")
    _write_corpus(folder / "train.jsonl", 120, seed=1)
    _write_corpus(folder / "dev.jsonl", 30, seed=2)
    (folder / "tiny.toml").write_text(CONFIG, encoding="utf-8")
    return folder / "tiny.toml"


@pytest.fixture(scope="session")
def tiny_run(tiny_config: Path) -> Path:
    """The directory of a finished run of `tiny_config`."""
    pytest.importorskip("torch")
    from fofe.cli import main

    folder = tiny_config.parent / "run"
    assert main(["train", str(tiny_config), "-o", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def tiny_path(tiny_run: Path) -> Path:
    """The directory of the model of `tiny_run`."""
    return tiny_run / "model"


@pytest.fixture(scope="session")
def conditioned_path(tiny_config: Path) -> Path:
    """A model conditioned on two corpora with the same texts: `names` has no nominals."""
    pytest.importorskip("torch")
    from fofe.cli import main

    folder = tiny_config.parent / "conditioned"
    folder.mkdir()
    for part in ("train", "dev"):
        lines = (tiny_config.parent / f"{part}.jsonl").read_text("utf-8").splitlines()
        documents = [json.loads(line) for line in lines]
        for document in documents:
            document["mentions"] = [one for one in document["mentions"] if not one["type"].endswith("_NOM")]
        content = "".join(json.dumps(document) + "\n" for document in documents)
        (folder / f"{part}.jsonl").write_text(content, "utf-8")
    corpora = "".join(
        f'[[corpus]]\nname = "{name}"\ntrain = ["{of}train.jsonl"]\ndev = "{of}dev.jsonl"\nnested = true\n\n'
        for name, of in (("everything", "../"), ("names", ""))
    )
    model = CONFIG[CONFIG.index("[model]") :].replace(
        "[model]\n", '[model]\nschemes = ["everything", "names"]\n', 1
    )
    (folder / "conditioned.toml").write_text(corpora + model, "utf-8")
    assert main(["train", str(folder / "conditioned.toml"), "-o", str(folder / "run")]) == 0
    return folder / "run" / "model"


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pair of character language models with random weights."""
    pytest.importorskip("torch")
    from _writers import write_encoder

    return write_encoder(tmp_path_factory.mktemp("encoder") / "model")


@pytest.fixture
def install_model(
    tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str], Path]:
    """Installs the tiny model as a package of some name and language.

    Packages of the same names that are installed for good are out of sight: the first on the path counts.
    """
    site = tmp_path / "site"
    for shipped in SHIPPED:
        hiding = site / f"fofe_{shipped.replace('-', '_')}-0.1.0.dist-info"
        hiding.mkdir(parents=True)
        (hiding / "METADATA").write_text(
            f"Metadata-Version: 2.4\nName: fofe-{shipped}\nVersion: 0\n", "utf-8"
        )
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.syspath_prepend(str(site))

    def install(name: str, language: str) -> Path:
        folder = site / f"fofe_{name}" / "model"
        shutil.copytree(tiny_path, folder)
        (folder.parent / "__init__.py").write_text(
            "raise ImportError('a model need not be imported')\n", "utf-8"
        )
        config = json.loads((folder / "config.json").read_text("utf-8"))
        config["model"]["language"] = language
        (folder / "config.json").write_text(json.dumps(config), "utf-8")
        metadata = site / f"fofe_{name}-0.1.0.dist-info"
        metadata.mkdir(exist_ok=True)
        head = f"Metadata-Version: 2.4\nName: fofe-{name}\nVersion: 0.1.0\nLicense-Expression: CC0-1.0\n"
        (metadata / "METADATA").write_text(head, "utf-8")
        (metadata / "entry_points.txt").write_text(f"[fofe.models]\n{name} = fofe_{name}\n", "utf-8")
        importlib.invalidate_caches()
        return folder

    return install


@pytest.fixture(scope="session")
def tiny_model(tiny_path: Path) -> Model:
    from fofe.tagging.model import load

    return load(tiny_path)


Running = Callable[..., AbstractContextManager[tuple[str, "subprocess.Popen[str]"]]]


@contextmanager
def _running(*arguments: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The address and the process of `fofe serve`."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fofe", "serve", "--port", "0", *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        assert " at http" in line, line + process.stderr.read()
        yield line.split(" at ")[1].split()[0], process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture(scope="session")
def running() -> Running:
    """Starts `fofe serve` with some arguments."""
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    return _running
