"""A loaded model as its users see it."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count, islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fofe
from fofe.base.errors import FofeError, InputError
from fofe.decode import Decoding, agree
from fofe.features import config as config_module
from fofe.features import surroundings
from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.model.ensemble import Ensemble, save_ensemble
from fofe.model.storage import StoredModel
from fofe.tagging import model as tagger
from fofe.tagging.model import Model
from fofe.text.document import Document, Mention, Sentence, Token

if TYPE_CHECKING:
    from tests.model.conftest import RandomModel

MakeModel = Callable[..., "RandomModel"]
MakeText = Callable[..., list[list[str]]]

TEXT = "Anna Berg met the mayor of Bergen. The University of Lima hired Li Wei in 2014."


def found(document: Document) -> list[tuple[str, str]]:
    return [(mention.text, mention.label) for mention in document.mentions]


def test_mentions_of_a_text(tiny_model: Model) -> None:
    document = tiny_model(TEXT)
    assert found(document) == [
        ("Anna Berg", "PER"),
        ("mayor", "PER_NOM"),
        ("Bergen", "GPE"),
        ("University of Lima", "ORG"),
        ("Lima", "GPE"),
        ("Li Wei", "PER"),
    ]
    assert document.text == TEXT
    assert len(document.sentences) == 2
    mayor = document.mentions[1]
    assert (mayor.type, mayor.kind) == ("PER", "NOM")
    assert type(mayor.score) is float
    assert 0.5 <= mayor.score <= 1


def test_load_from_the_package(tiny_path: Path) -> None:
    model = fofe.load(tiny_path)
    assert model.path == tiny_path
    assert model.labels == ("NONE", "GPE", "ORG", "ORG_NOM", "PER", "PER_NOM")
    assert found(model("Sam Hill met nobody.")) == [("Sam Hill", "PER")]


def check_offsets(document: Document) -> None:
    for mention in document.mentions:
        assert 0 <= mention.start < mention.end <= len(document.text)
        assert document.text[mention.start : mention.end] == mention.text


PIECES = ("Anna Berg", "Bergen", " ", "\n", "😀", "\ud800", "\x00", "é", ".", "x", "\u3000")


@settings(max_examples=60)
@given(pieces=st.lists(st.sampled_from(PIECES)))
def test_offsets_point_into_the_callers_text(pieces: list[str], tiny_model: Model) -> None:
    text = "".join(pieces)
    document = tiny_model.with_options(threshold=0.1, for_recall=True)(text)
    assert document.text == text
    check_offsets(document)


@pytest.mark.parametrize("text", ["", " ", "\n\t \u00a0\n", "\x00", "\ud800", "😀", "\ufeff"])
def test_texts_with_little_in_them(text: str, tiny_model: Model) -> None:
    document = tiny_model(text)
    assert document.text == text
    check_offsets(document)
    assert not document.mentions


def test_offsets_after_characters_beyond_16_bits(tiny_model: Model) -> None:
    document = tiny_model(f"😀😀 {TEXT} 😀")
    check_offsets(document)
    assert ("mayor", "PER_NOM") in found(document)


def test_a_sentence_of_five_thousand_words(tiny_model: Model) -> None:
    text = " ".join(["and", "nobody"] * 2495) + " Anna Berg met the mayor of Bergen."
    document = tiny_model(text)
    assert len(document.sentences) == 1
    assert found(document)[-2:] == [("mayor", "PER_NOM"), ("Bergen", "GPE")]
    check_offsets(document)


def test_a_text_without_spaces_takes_no_more_memory_than_words(tiny_model: Model) -> None:
    tracemalloc.start()
    document = tiny_model("a" * 300_000 + " and Anna Berg met the mayor of Bergen.")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert ("Bergen", "GPE") in found(document)
    assert peak < 200e6


def test_accents_may_be_composed_or_not(tiny_model: Model) -> None:
    texts = ["José Berg met the mayor of São Paulo.", "Zoë met Li Wei in Málaga."]
    for text in texts:
        apart = unicodedata.normalize("NFD", text)
        document, other = tiny_model(text), tiny_model(apart)
        assert [mention.score for mention in other.mentions] == [one.score for one in document.mentions]
        for mention in other.mentions:
            assert apart[mention.start : mention.end] == mention.text
        composed = [unicodedata.normalize("NFC", mention.text) for mention in other.mentions]
        assert composed == [mention.text for mention in document.mentions]


def test_a_model_tuned_to_a_nested_strategy_can_be_flat(tiny_model: Model) -> None:
    nested = tiny_model.with_options(strategy="non-crossing", threshold=0.0)
    flat = nested.with_options(nested=False)
    mentions = flat(TEXT).mentions
    assert all(one.end <= next.start for one, next in pairwise(sorted(mentions, key=lambda m: m.start)))
    assert flat.decoding.strategy == "highest-first"
    assert len(nested(TEXT).mentions) > len(mentions) > 0


def test_a_stream_in_gives_a_stream_out(tiny_model: Model) -> None:
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        for number in count():
            taken += 1
            yield f"Anna Berg met {number} people in Lima."

    documents = list(islice(tiny_model.tag(endless()), 3))
    assert [found(document) for document in documents] == [[("Anna Berg", "PER"), ("Lima", "GPE")]] * 3
    assert taken < 1000


def test_the_first_of_a_stream_is_tagged_before_the_next_is_drawn(tiny_model: Model) -> None:
    drawn = []

    def texts() -> Iterator[str]:
        for number in range(100):
            drawn.append(number)
            yield f"Anna Berg met the mayor of Bergen {number} times."

    tagged = tiny_model.tag(texts())
    assert next(tagged).text.endswith(" 0 times.")
    assert drawn == [0]
    assert [document.text for document in tagged] == list(texts())[1:]


def test_a_stream_of_empty_texts_does_not_pile_up(tiny_model: Model) -> None:
    documents = tiny_model.tag(" " for _ in count())
    assert [document.mentions for document in islice(documents, 3)] == [[], [], []]


def test_order_and_number_of_documents_stay(tiny_model: Model) -> None:
    texts = [TEXT, "", "In Lima it rained all day.", " "] * 40
    documents = list(tiny_model.tag(texts))
    assert [document.text for document in documents] == texts
    assert documents[-2].mentions == documents[2].mentions
    assert list(tiny_model.tag([])) == []


def test_one_string_is_not_many_texts(tiny_model: Model) -> None:
    for missing in (None, float("nan"), b"Leeds won.", ["Leeds won."]):
        with pytest.raises(FofeError, match="a text is a string, not of type"):
            tiny_model(missing)  # type: ignore[arg-type]
    with pytest.raises(FofeError, match="several texts are needed, not one string"):
        tiny_model.tag(TEXT)


def test_words_that_are_already_cut(tiny_model: Model) -> None:
    sentences = [["Anna", "Berg", "met", "the", "mayor", "of", "Bergen", "."], [], ["In", "New Delhi"]]
    documents = list(tiny_model.tag_tokens(sentences))
    assert documents[0].text == "Anna Berg met the mayor of Bergen ."
    assert found(documents[0]) == [("Anna Berg", "PER"), ("mayor", "PER_NOM"), ("Bergen", "GPE")]
    assert documents[1].mentions == []
    assert documents[2].text == "In New Delhi"
    for document in documents:
        check_offsets(document)
    with pytest.raises(InputError, match="is a string, not a list of words"):
        list(tiny_model.tag_tokens(["Anna", "Berg"]))


def test_documents_keep_everything_but_their_mentions(tiny_model: Model) -> None:
    old = Mention(0, 2, "DATE")
    tokens = [Token("In", 1, 3), Token("Lima", 5, 9), Token(".", 9, 10)]
    document = Document(
        " In  Lima.", [Sentence([]), Sentence(tokens)], [old], id="d1", meta={"genre": ["news"]}
    )
    (tagged,) = tiny_model.tag_documents([document])
    assert (tagged.id, tagged.meta, tagged.text) == ("d1", {"genre": ["news"]}, " In  Lima.")
    assert found(tagged) == [("Lima", "GPE")]
    assert (tagged.mentions[0].start, tagged.mentions[0].end) == (5, 9)
    assert document.mentions == [old], "the caller's own document stays as it was"


def test_documents_without_sentences_are_cut_first(tiny_model: Model) -> None:
    (tagged,) = tiny_model.tag_documents([Document(TEXT, id="d1")])
    assert tagged == replace(tiny_model(TEXT), id="d1")


def test_alternatives_are_the_next_best_labels(tiny_model: Model) -> None:
    assert all(mention.alternatives == () for mention in tiny_model(TEXT).mentions)
    for mention in tiny_model.with_options(alternatives=2)(TEXT).mentions:
        labels = [label for label, _ in mention.alternatives]
        scores = [score for _, score in mention.alternatives]
        assert len(labels) == 2
        assert mention.label not in labels
        assert scores == sorted(scores, reverse=True)
        assert scores[0] <= mention.score
    every = tiny_model.with_options(alternatives=99)(TEXT)
    for mention in every.mentions:
        assert {mention.label, *(label for label, _ in mention.alternatives)} == set(tiny_model.labels)
        total = mention.score + sum(score for _, score in mention.alternatives)
        assert total == pytest.approx(1, abs=1e-4), "the scores are those of this very fragment"


def test_options_make_another_model(tiny_model: Model) -> None:
    before = found(tiny_model(TEXT))
    flat = tiny_model.with_options(strategy="longest-first", nested=False)
    assert ("Lima", "GPE") not in found(flat(TEXT))
    assert found(tiny_model.with_options(threshold=1.0)(TEXT)) == []
    greedy = tiny_model.with_options(threshold=0.0, for_recall=True)
    assert len(greedy(TEXT).mentions) > len(before)
    assert found(tiny_model.with_options()(TEXT)) == before
    assert found(tiny_model(TEXT)) == before, "the model itself did not change"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.5}, "threshold must be a number from 0 to 1, not 1.5"),
        ({"threshold": float("nan")}, "a number from 0 to 1"),
        ({"threshold": "a"}, "a number from 0 to 1, not 'a'"),
        ({"strategy": "best"}, "must be one of highest-first,.*, not 'best'"),
        ({"strategy": 3}, "must be one of highest-first,.*, not 3"),
        ({"nested": "no"}, "nested must be true or false, not 'no'"),
        ({"alternatives": -1}, "at least 0, not -1"),
        ({"alternatives": "2"}, "a whole number of at least 0, not '2'"),
        ({"agreement": -0.5}, "agreement must be a number of at least 0, not -0.5"),
        ({"agreement": [1]}, r"agreement must be a number of at least 0, not \[1\]"),
        ({"for_recall": 1}, "for_recall must be True or False, not 1"),
        ({"exact": "yes"}, "exact must be True or False, not 'yes'"),
        ({"scheme": ["news"]}, r"scheme must be the name of a corpus, not \['news'\]"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str, tiny_model: Model) -> None:
    with pytest.raises(FofeError, match=message):
        tiny_model.with_options(**options)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda model: model(["x"]), "a text is a string, not of type list .*several texts to tag"),
        (lambda model: model.tag(None), "several texts are needed, not a value of type NoneType"),
        (lambda model: list(model.tag([["a", "b"]])), "a text is a string, not of type list"),
        (lambda model: list(model.tag([TEXT, None])), "a text is a string, not of type NoneType"),
        (lambda model: model.tag_tokens("Anna Berg"), r"several sentences are needed.*\(put the words"),
        (lambda model: model.tag_tokens(3), "several sentences are needed, not a value of type int"),
        (lambda model: list(model.tag_tokens([None])), "sentence 1 is of type NoneType"),
        (lambda model: list(model.tag_tokens([["a", ["b"]]])), "word 2 of sentence 1 is of type list"),
        (lambda model: list(model.tag_tokens([["a", None]])), r"is of type NoneType \(words are strings\)"),
        (lambda model: model.tag_documents(Document("x")), r"several documents .*\(put one document into"),
        (lambda model: list(model.tag_documents([TEXT])), r"a fofe.Document, not of type str \(.*tag takes"),
        (lambda model: model.score(TEXT), r"a fofe.Document, not of type str \(model\(text\) gives one"),
        (lambda model: model.save(None), "a model is saved to a directory, not of type NoneType"),
        (lambda model: model.decoding_for("foo"), r"no annotation scheme 'foo' \(it knows: none\)"),
    ],
)
def test_wrong_types_are_errors_with_a_fix(
    wrong: Callable[[Any], object], message: str, tiny_model: Model
) -> None:
    with pytest.raises(FofeError, match=message):
        wrong(tiny_model)


def test_a_model_is_loaded_by_a_path_or_a_name() -> None:
    for wrong in (None, 3, ["en"], b"en"):
        with pytest.raises(FofeError, match=r"a model is a directory or a name, not of type .*fofe.load"):
            fofe.load(wrong)  # type: ignore[call-overload]


@pytest.mark.parametrize("name", ["auto", "en"])
def test_numpy_refuses_a_device_that_it_would_ignore(name: str) -> None:
    with pytest.raises(FofeError, match=r"""device 'cuda' needs engine="torch" .*"""):
        fofe.load(name, device="cuda")


def test_a_saved_model_is_the_same_with_its_decoding(tiny_model: Model, tmp_path: Path) -> None:
    model = tiny_model.with_options(threshold=0.9, strategy="longest-first")
    model.save(tmp_path / "saved")
    again = fofe.load(tmp_path / "saved")
    assert again.decoding == model.decoding != tiny_model.decoding
    assert again(TEXT) == model(TEXT)
    assert again.labels == model.labels
    assert again.training == model.training
    tiny_model.save(tmp_path / "saved")
    assert fofe.load(tmp_path / "saved").decoding == tiny_model.decoding, "it replaces a model"
    (tmp_path / "other").mkdir()
    with pytest.raises(FofeError, match="not a model directory"):
        tiny_model.save(tmp_path / "other")


def test_a_saved_ensemble_has_copies_of_its_members(tiny_path: Path, tmp_path: Path) -> None:
    save_ensemble(Ensemble.of([tiny_path, tiny_path]), tmp_path / "both")
    model = fofe.load(tmp_path / "both").with_options(threshold=0.75)
    model.save(tmp_path / "saved")
    again = fofe.load(tmp_path / "saved")
    assert again.decoding.threshold == 0.75
    assert again(TEXT) == model(TEXT)


def test_rules_are_not_lost_by_saving(tiny_model: Model, tmp_path: Path) -> None:
    model = tiny_model.with_rules("contact")
    with pytest.raises(FofeError, match=r"rules cannot be saved.*with_rules\(\)"):
        model.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()
    model.with_rules().save(tmp_path / "saved")
    assert fofe.load(tmp_path / "saved")(TEXT) == tiny_model(TEXT)


def test_a_model_without_files_cannot_be_saved(make_model: MakeModel, tmp_path: Path) -> None:
    with pytest.raises(FofeError, match="has no files to save"):
        Model(stored_model(make_model, {})).save(tmp_path / "saved")


def test_a_pickled_model_is_the_same_model(tiny_model: Model) -> None:
    model = tiny_model.with_options(threshold=0.9)
    model(TEXT)
    again = pickle.loads(pickle.dumps(model))
    assert again(TEXT) == model(TEXT)
    assert again.decoding == model.decoding


def test_a_model_shows_what_it_is(tiny_model: Model) -> None:
    shown = repr(tiny_model.with_options(threshold=0.25, strategy="longest-first"))
    assert str(tiny_model.path) in shown
    assert "language en, GPE, ORG, ORG_NOM, PER, PER_NOM; longest-first from 0.25" in shown


def test_threads_can_share_a_model(tiny_model: Model) -> None:
    texts = [TEXT, *(f"{place} is not {place.lower()}." for place in ("Osaka", "Porto", "Lima")), "x" * 50]
    expected = list(tiny_model.tag(texts))
    with ThreadPoolExecutor(2) as pool:
        for documents in pool.map(lambda _: list(tiny_model.tag(texts)), range(6)):
            assert documents == expected


def test_results_do_not_depend_on_how_texts_are_grouped(
    tiny_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [TEXT, "In Lima it rained all day.", "Nobody came."] * 5
    together = [found(document) for document in tiny_model.tag(texts)]
    monkeypatch.setattr(tagger, "TOKENS_AT_ONCE", 3)
    assert [found(document) for document in tiny_model.tag(texts)] == together


@pytest.mark.parametrize(
    ("surroundings_of", "agreement"),
    [("cased", 0.0), ("cased", 1.0), (None, 1.0)],
    ids=["surroundings", "both", "agreement"],
)
def test_where_a_document_is_cut_does_not_show(
    surroundings_of: str | None,
    agreement: float,
    make_model: MakeModel,
    make_text: MakeText,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model that sees more than a sentence gives the same scores for pieces of any size."""
    for module, name in ((agree, "NEAR"), (tagger, "NEAR"), (surroundings, "FAR"), (config_module, "FAR")):
        monkeypatch.setattr(module, name, 40)
    config = ModelConfig(
        max_words=3,
        surroundings=surroundings_of,
        views=(ViewConfig("cased", "cased", 4), ViewConfig("window", "window", 3, dilations=(1, 2))),
        characters=CharacterConfig(fofe=False, dimension=2, heights=(2,), kernels=2),
        hidden=(8,),
    )
    parts = make_model(11, config)
    stored = StoredModel(
        model=config,
        labels=("NONE", "A", "B", "C"),
        decoding=Decoding(threshold=0.0, agreement=agreement),
        vocabularies=parts.encoder.vocabularies,
        alphabet=parts.encoder.alphabet,
        weights=parts.weights,
    )
    model = Model(stored).with_options(for_recall=True, alternatives=3)
    documents = [Document.from_words(make_text(seed, sentences=40)) for seed in (1, 2)]

    def scores() -> list[list[float]]:
        tagged = model.tag_documents(documents)
        return [sorted(mention.score for mention in document.mentions) for document in tagged]

    whole = scores()
    cut_up = replace(documents[0], sentences=documents[0].sentences[20:])
    assert not np.allclose(
        sorted(mention.score for mention in next(model.tag_documents([cut_up])).mentions)[:50],
        whole[0][:50],
        atol=1e-4,
    ), "contexts do reach over sentences"
    for tokens in (1, 20, 100):
        monkeypatch.setattr(tagger, "TOKENS_AT_ONCE", tokens)
        for one, other in zip(scores(), whole, strict=True):
            assert one == pytest.approx(other, abs=1e-5)


def test_a_document_without_text_has_nothing_to_score(make_model: MakeModel) -> None:
    for seen in ({}, {"surroundings": "cased"}):
        model = Model(stored_model(make_model, seen))
        document = Document("")
        assert len(model.score(document).fragments) == 0
        assert next(model.tag_documents([document])).mentions == []


def test_an_ensemble_sees_as_far_as_any_of_its_members(
    make_model: MakeModel, make_text: MakeText, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = [stored_model(make_model, {}), stored_model(make_model, {"surroundings": "cased"})]
    ensemble = Ensemble((Path("a"), Path("b")), tuple(members), (0.5, 0.5), Decoding(threshold=0.0))
    model = Model(ensemble).with_options(for_recall=True)
    documents = [Document.from_words(make_text(3, sentences=40))]

    def scores() -> list[float]:
        (document,) = model.tag_documents(documents)
        return sorted(mention.score for mention in document.mentions)

    whole = scores()
    monkeypatch.setattr(tagger, "TOKENS_AT_ONCE", 5)
    assert scores() == pytest.approx(whole, abs=1e-5)


def stored_model(make_model: MakeModel, settings: dict[str, str]) -> StoredModel:
    """A random model of a few features and those of some settings."""
    config = ModelConfig(
        max_words=3,
        views=(ViewConfig("cased", "cased", 4), ViewConfig("window", "window", 3)),
        characters=CharacterConfig(fofe=False, dimension=2, heights=(2,), kernels=2),
        hidden=(8,),
        **settings,  # type: ignore[arg-type]
    )
    parts = make_model(11, config)
    return StoredModel(
        model=config,
        labels=("NONE", "A", "B", "C"),
        decoding=Decoding(threshold=0.0),
        vocabularies=parts.encoder.vocabularies,
        alphabet=parts.encoder.alphabet,
        weights=parts.weights,
    )


def test_a_fresh_model_has_the_same_scores_whatever_came_before(tiny_model: Model) -> None:
    other = "Bergen is not Leeds; Grace Otieno of Acme left the company in 2014."
    first = tiny_model.fresh()(TEXT)
    for text in ("Berg", other, "mayor", TEXT):
        tiny_model(text)
    assert tiny_model.fresh()(TEXT).mentions == first.mentions
    used = tiny_model.fresh()
    used(other)
    assert used.fresh()(TEXT).mentions == first.mentions
    assert first.mentions


def test_scores_of_every_fragment(tiny_model: Model) -> None:
    document = tiny_model("Anna Berg met the mayor of Bergen. It rained.")
    scores = tiny_model.score(document)
    longest = tiny_model.config.max_words
    tokens = [len(sentence) for sentence in document.sentences]
    assert len(scores.fragments) == sum(
        min(longest, count - start) for count in tokens for start in range(count)
    )
    assert scores.probabilities.shape == (len(scores.fragments), len(tiny_model.labels))
    anna_berg = (scores.fragments.firsts == 0) & (scores.fragments.lasts == 1)
    best = scores.probabilities[anna_berg][0]
    assert tiny_model.labels[int(best.argmax())] == "PER"
    assert abs(float(best.max()) - document.mentions[0].score) < 1e-5


def test_names_only(tiny_model: Model) -> None:
    text = "Anna Berg met the mayor of Bergen at the Bergen Museum."
    everything = tiny_model.with_options(nested=True)(text).mentions
    assert {one.kind for one in everything} == {"NAM", "NOM"}
    model = tiny_model.with_options(names=True)
    names = model(text).mentions
    assert {one.kind for one in names} == {"NAM"}
    assert all(one.end <= other.start for one, other in pairwise(names))
    assert not tiny_model.with_options(names=True, threshold=1.0)(text).mentions
    tuned = copy.copy(tiny_model)
    tuned.decoding = replace(tiny_model.decoding, names_threshold=1.0)
    assert tuned(text).mentions
    assert not tuned.with_options(names=True)(text).mentions
    with pytest.raises(FofeError, match="names must be true or false"):
        tiny_model.with_options(names="yes")  # type: ignore[arg-type]


def test_marks_alone_are_no_mention(tiny_model: Model) -> None:
    model = tiny_model.with_options(for_recall=True, threshold=0.0, nested=True)
    (document,) = model.tag_tokens([["Anna", "@", "Berg", "--", "?"]])
    assert {"@", "--", "?", "-- ?"}.isdisjoint(one.text for one in document.mentions)
    assert document.mentions


def test_marks_at_the_ends_of_mentions_have_their_partners(tiny_model: Model) -> None:
    model = tiny_model.with_options(for_recall=True, threshold=0.0, nested=True, strategy="non-crossing")
    (document,) = model.tag_tokens([["«", "Anna", "Berg", "»", "(", "Leeds", "met"]])
    found = [one.text for one in document.mentions]
    assert {"« Anna Berg »", "Anna Berg", "Leeds"} <= set(found)
    assert not any(("«" in text and "»" not in text) or text.startswith(("»", "(")) for text in found)
    assert len(found) == len(set(found))


def test_a_model_is_not_made_of_a_name() -> None:
    with pytest.raises(FofeError, match="what is stored is needed, not of type str"):
        Model("en")  # type: ignore[arg-type]
