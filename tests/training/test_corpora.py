"""Corpora as their tables say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import ConfigError, InputError
from fofe.training.annotation import LabelledSentence
from fofe.training.config import CorpusConfig, RunConfig, load_config
from fofe.training.corpora import Corpus, Fold, read_corpora
from fofe.training.plan import plan

NEWS = """\
Anna B-PER
Berg I-PER
left O
the O
University B-ORG
of I-ORG
Oslo I-ORG
. O

Oslo B-LOC
won O
the O
Cup B-MISC
. O
"""
NOVEL = {
    "id": "novel",
    "sentences": [
        {
            "tokens": ["his", "oldest", "friend", "from", "Oslo", "slept"],
            "mentions": [
                {"start": 0, "end": 5, "type": "PER", "kind": "NOM"},
                {"start": 4, "end": 5, "type": "GPE", "kind": "NAM"},
            ],
        },
        {
            "tokens": ["the", "captain", "of", "the", "ship"],
            "mentions": [{"start": 0, "end": 5, "type": "PER", "kind": "NOM", "head": [1, 2]}],
            "unknown": [[3, 5]],
            "known": [[0, 2]],
            "negatives": [[4, 5]],
        },
    ],
}
CONFIG = """\
[[corpus]]
name = "news"
train = ["news.conll"]
dev = "news.conll"
labels = {{ LOC = ["GPE", "LOC"] }}
{news}

[[corpus]]
name = "novels"
train = ["novel.jsonl"]
dev = "novel.jsonl"
test = "novel.jsonl"
{novels}

[decoding]
nested = {nested}
"""


def configured(folder: Path, news: str = "", novels: str = "", nested: str = "true") -> RunConfig:
    (folder / "news.conll").write_text(NEWS, encoding="utf-8")
    (folder / "novel.jsonl").write_text(json.dumps(NOVEL), encoding="utf-8")
    path = folder / "run.toml"
    path.write_text(CONFIG.format(news=news, novels=novels, nested=nested), encoding="utf-8")
    return load_config(path)


def read(folder: Path, **changes: str) -> tuple[Corpus, Corpus]:
    news, novels = read_corpora(configured(folder, **changes)).parts
    return news, novels


def test_labels_of_the_model_are_those_that_the_corpora_stand_for(tmp_path: Path) -> None:
    corpora = read_corpora(configured(tmp_path))
    assert corpora.labels() == ["NONE", "GPE", "LOC", "MISC", "ORG", "PER", "PER_NOM"]
    sizes = [sum(len(one.part(name)) for one in corpora.parts) for name in ("train", "dev", "test")]
    assert sizes == [4, 4, 2]


def test_what_is_annotated_and_whether_it_nests_is_found_out(tmp_path: Path) -> None:
    news, novels = read(tmp_path)
    assert news.annotation.exhaustive == {"LOC", "MISC", "ORG", "PER"}
    assert (news.annotation.nested, news.annotation.inside) == (False, "other types")
    assert novels.annotation.exhaustive == {"PER", "PER_NOM", "GPE", "GPE_NOM"}
    assert novels.annotation.nested
    assert novels.annotation.absent(["NONE", "ORG", "PER", "GPE"]) == {"NONE", "ORG"}


def test_what_the_tables_say_goes_before_what_occurs(tmp_path: Path) -> None:
    news, novels = read(
        tmp_path, news='types = ["PER"]\nkinds = ["NAM", "NOM"]\nnested = true', novels="nested = false"
    )
    assert news.annotation.exhaustive == {"PER", "PER_NOM"}
    assert news.annotation.labels["LOC"] == {"GPE", "LOC"}, "still a mention, where it is annotated"
    assert news.annotation.nested
    assert not novels.annotation.nested


def test_nested_mentions_of_a_corpus_that_is_said_to_be_flat_are_reported(tmp_path: Path) -> None:
    line = (
        "3 mentions inside others in corpus 'novels', which has nested = false: learned, but not scored "
        "(first: Oslo, Oslo, Oslo)"
    )
    corpora = read_corpora(configured(tmp_path, novels="nested = false"))
    assert line in corpora.report.lines(), "one in each of train, dev and test"
    assert (4, 5, "GPE") in corpora.parts[1].train[0].spans
    for novels in ("", "nested = true"):
        report = read_corpora(configured(tmp_path, novels=novels)).report
        assert not any("inside others" in line for line in report.lines())


def test_a_flat_model_of_one_corpus_does_not_make_that_flat(tmp_path: Path) -> None:
    missed = "2 mentions inside others that a model without decoding.nested = true does not find"
    for name, nested in (("novel.jsonl", True), ("news.conll", False)):
        configured(tmp_path)
        (tmp_path / "one.toml").write_text(f'[data]\ntrain = ["{name}"]\ndev = "{name}"\n', "utf-8")
        corpora = read_corpora(load_config(tmp_path / "one.toml"))
        assert corpora.parts[0].annotation.nested == nested
        assert any(line.startswith(missed) for line in corpora.report.lines()) == nested


def test_labels_of_dev_that_cannot_be_learned_are_pointed_out(tmp_path: Path) -> None:
    configured(tmp_path)
    (tmp_path / "one.toml").write_text('[data]\ntrain = ["news.conll"]\ndev = "novel.jsonl"\n', "utf-8")
    report = read_corpora(load_config(tmp_path / "one.toml")).report
    problem = "3 dev mentions with a label that no training mention has"
    assert f"{problem} (first: PER_NOM, GPE, PER_NOM)" in report.lines()
    both = read_corpora(configured(tmp_path)).report
    assert not any("no training mention has" in line for line in both.lines())


def test_a_flat_model_takes_what_lies_inside_for_negative(tmp_path: Path) -> None:
    news, _ = read(tmp_path, nested="false")
    assert news.annotation.inside == "negative"


def test_nominals_are_reduced_to_heads_given_or_found(tmp_path: Path) -> None:
    whole, heads = read(tmp_path)[1], read(tmp_path, novels="heads = true")[1]
    assert whole.train[0].spans == [(0, 5, "PER_NOM"), (4, 5, "GPE")]
    assert heads.train[0].spans == heads.dev[0].spans == [(2, 3, "PER_NOM"), (4, 5, "GPE")]
    assert heads.train[1].spans == [(1, 2, "PER_NOM")]


def test_names_can_lose_their_determiners(tmp_path: Path) -> None:
    words = ["They", "sailed", "on", "the", "Thames", "."]
    path = tmp_path / "rivers.jsonl"
    path.write_text(json.dumps({"tokens": words, "entities": [[3, 5, "LOC"]]}) + "\n", encoding="utf-8")
    config = CorpusConfig((str(path),), name="rivers", dev=str(path), test=str(path), bare_names=True)
    (rivers,) = read_corpora(RunConfig(corpus=(config,))).parts
    for part in ("train", "dev", "test"):
        assert rivers.part(part)[0].spans == [(4, 5, "LOC")]
    assert rivers.scheme()["bare_names"]


@pytest.mark.parametrize(
    ("unannotated", "unknown"),
    [
        ("negative", [(), ((3, 5),)]),
        ("unknown", [((0, 6),), ((0, 5),)]),
        ("unknown outside regions", [((0, 6),), ((2, 5), (3, 5))]),
    ],
)
def test_unknown_text(unannotated: str, unknown: list[Any], tmp_path: Path) -> None:
    _, novels = read(tmp_path, novels=f'unannotated = "{unannotated}"')
    assert [sentence.unknown for sentence in novels.train] == unknown
    assert [sentence.unknown for sentence in novels.dev] == [(), ((3, 5),)], "others are annotated"
    assert novels.train[1].negatives == ((4, 5),)


def test_labels_that_stand_for_nothing_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    configured(tmp_path)
    text = path.read_text("utf-8").replace('"LOC"] }', '"LOC"], MISC = [], LCO = [] }')
    path.write_text(text, encoding="utf-8")
    config = load_config(path)
    corpora = read_corpora(config)
    assert "MISC" not in corpora.labels()
    assert all(label != "MISC" for sentence in corpora.train for _, _, label in sentence.spans)
    lines = "\n".join(corpora.report.lines())
    assert "2 mentions of MISC left out because the mapping gives that no label" in lines
    assert "1 label in the mapping of corpus 'news' without a mention there (first: LCO)" in lines


def test_a_corpus_that_is_not_scored_is_learned_from_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    configured(tmp_path)
    helper = '[[corpus]]\nname = "{}"\ntrain = ["news.conll"]\nscored = false\n'
    path.write_text(
        '[[corpus]]\nname = "news"\ntrain = ["news.conll"]\ndev = "news.conll"\n' + helper.format("more"),
        encoding="utf-8",
    )
    news, more = read_corpora(load_config(path)).parts
    assert len(more.train) == len(news.train) == 2
    assert (more.dev, more.test) == ([], [])
    news, more = read_corpora(load_config(path), Fold(0, 2)).parts
    assert (len(news.train), len(more.train)) == (1, 2), "nor does a fold leave anything of it out"
    path.write_text(helper.format("more"), encoding="utf-8")
    with pytest.raises(ConfigError, match="at least one must be scored"):
        load_config(path)


def test_a_corpus_in_doubt_must_be_scored() -> None:
    with pytest.raises(ValueError, match="needs a dev set; scored = false has none"):
        CorpusConfig(("x",), name="a", unannotated="in doubt", scored=False)


def test_sentences_that_are_held_out_one_by_one_are_pointed_out_where_others_count(tiny_config: Path) -> None:
    text = tiny_config.read_text("utf-8").replace('dev = "dev.jsonl"\n', "")
    alone = tiny_config.with_name("single.toml")
    alone.write_text(text, encoding="utf-8")
    for settings, noted in (({}, 0), ({"decoding.agreements": [0.0, 1.0]}, 1)):
        lines = read_corpora(load_config(alone, settings)).report.lines()
        assert sum("single sentences are held out" in line for line in lines) == noted


def test_a_dev_set_of_next_to_nothing_is_pointed_out_if_it_was_held_out(tiny_config: Path) -> None:
    for name, lines, noted in (("few", 30, True), ("many", 500, False)):
        corpus = tiny_config.with_name(f"{name}.jsonl")
        corpus.write_text('{"tokens": ["Lima"], "entities": [[0, 1, "GPE"]]}\n' * lines, "utf-8")
        told = plan(load_config(tiny_config, {"data.train": [str(corpus)], "data.dev": None}))
        problem = "1 training set without a dev set, of which fewer than 20 mentions are held out"
        assert (problem in told) == noted
        assert ("(give a dev set, or more data) (first: data with 2)" in told) == noted


@pytest.mark.parametrize("name", ["dev", "test"])
def test_a_corpus_to_score_on_that_is_also_trained_on_is_pointed_out(name: str, tiny_config: Path) -> None:
    problem = f"1 {name} set among the training corpora, whose scores say little"
    for file, noted in (("train.jsonl", True), ("dev.jsonl", False)):
        lines = plan(load_config(tiny_config, {f"data.{name}": file}))
        assert (problem in lines) == noted


def test_the_plan_tells_what_everything_counts_as(tmp_path: Path) -> None:
    text = plan(configured(tmp_path, novels='unannotated = "unknown"\nweight = 0.5\nheads = true'))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "labels of the model: GPE, LOC, MISC, ORG, PER, PER_NOM" in lines
    assert "LOC 1 1 0 0 NAM all annotated GPE or LOC" in lines
    assert "flat: fragments inside a mention count as other types, those around one as negative" in lines
    assert "without a label: NONE or PER_NOM" in lines
    assert "others that overlap a mention 5 2 anything but ORG" in lines
    assert "mentions 2 2 PER_NOM" in lines
    assert "marked negatives 1 1 NONE" in lines
    assert "weight 0.5, share 1" in lines
    assert "train: 2 sentences, 11 words, 3 mentions, 11 words in unknown text, 1 marked negative" in lines
    assert any(line.startswith("not drawn ") and "nothing is learned" in line for line in lines)
    assert "tag scheme: IOB2" in lines


@pytest.mark.parametrize(
    ("news", "message"),
    [
        ('inside = "maybe"', "inside must be one of 'other types', 'negative', 'unknown', not 'maybe'"),
        ('unannotated = "none"', "unannotated must be one of 'negative', 'unknown', 'unknown outside"),
        ('kinds = ["PRO"]', "kinds must be among NAM, NOM, not 'PRO'"),
        ("weight = 0", "weight must be above 0"),
        ("share = 1.5", "share lies above 0 and is at most 1"),
        ("scored = false", "a corpus with scored = false has neither dev nor test"),
        ('nested = true\naround = "unknown"', "inside and around are for flat corpora"),
        ("wieght = 1.0", r"unknown key 'corpus\[0\].wieght' \(did you mean 'weight'\?\)"),
    ],
)
def test_mistakes_in_a_table_are_named(news: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=message):
        configured(tmp_path, news=news)


@pytest.mark.parametrize("value", [3, ["PER", 3], [""], {"a": "b"}])
def test_a_mapping_leads_to_labels(value: object) -> None:
    with pytest.raises(ValueError, match=r"labels\.PER must be a label or a list of labels"):
        CorpusConfig(("x",), name="a", labels={"PER": value})
    assert CorpusConfig(("x",), name="a", labels={"PER": "P"}).labels == {"PER": ("P",)}


def test_data_and_corpora_exclude_each_other_and_names_differ(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    corpus = '[[corpus]]\nname = "a"\ntrain = ["x"]\n'
    path.write_text(corpus + '[data]\ntrain = ["x"]\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"give either \[data\] or one or more"):
        load_config(path)
    path.write_text(corpus * 2, encoding="utf-8")
    with pytest.raises(ConfigError, match="each needs a name of its own, not a, a"):
        load_config(path)
    path.write_text(corpus, encoding="utf-8")
    assert load_config(path, {"corpus.a.share": 0.5}).corpora[0].share == 0.5


@given(st.lists(st.booleans(), min_size=5, max_size=60), st.integers(2, 5))
def test_each_sentence_is_left_out_once(opens: list[bool], folds: int) -> None:
    sentences = [LabelledSentence(["a"], [], opens=is_first) for is_first in opens]
    splits = [Fold(number, folds).split(sentences) for number in range(folds)]
    for train, left_out in splits:
        assert sorted(train + left_out) == list(range(len(opens)))
        assert train
        assert left_out
    assert sorted(number for _, left_out in splits for number in left_out) == list(range(len(opens)))


def test_documents_stay_whole() -> None:
    sentences = [LabelledSentence(["a"], [], opens=number % 3 == 0) for number in range(30)]
    for number in range(5):
        _, left_out = Fold(number, 5).split(sentences)
        assert {place // 3 for place in left_out} == {place // 3 for place in left_out if place % 3 == 0}
        assert len(left_out) == 6


def test_too_few_sentences() -> None:
    with pytest.raises(InputError, match="too few sentences for 4 folds: 3"):
        Fold(0, 4).split([LabelledSentence(["a"], [])] * 3)


def test_the_part_that_is_left_out_is_the_dev_set_where_there_is_none(tiny_config: Path) -> None:
    with_dev = load_config(tiny_config)
    whole = read_corpora(with_dev)
    part = read_corpora(with_dev, Fold(0, 3))
    assert len(part.train) == len(whole.train) - len(part.parts[0].held_out)
    assert part.parts[0].dev == whole.parts[0].dev
    assert part.labels() == whole.labels()
    text = tiny_config.read_text("utf-8").replace('dev = "dev.jsonl"\n', "")
    alone = tiny_config.with_name("alone.toml")
    alone.write_text(text, encoding="utf-8")
    without = read_corpora(load_config(alone), Fold(0, 3))
    assert without.parts[0].dev == without.parts[0].held_out
    assert without.parts[0].test == []
    assert len(without.train) + len(without.parts[0].dev) == len(whole.train)
