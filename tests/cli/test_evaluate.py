"""`fofe evaluate` on small files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fofe.base.errors import FofeError, InputError
from fofe.cli import make_parser
from fofe.decode import Decoding
from fofe.features.config import CharacterConfig, ModelConfig, ViewConfig
from fofe.features.vocabulary import Vocabulary
from fofe.formats import read_corpus, write_corpus
from fofe.model.ensemble import Ensemble, save_ensemble
from fofe.model.storage import StoredModel, load_model, save_model

TEXTS = ["Ann Lee works for Acme in Paris .", "The boss met Ann Lee ."]


def write(path: Path, *lines: list[tuple[str, str, str, float]]) -> str:
    """Write JSONL of `TEXTS`, with mentions given by string, type, kind and score."""
    with path.open("w", encoding="utf-8") as stream:
        for text, found in zip(TEXTS, lines, strict=True):
            mentions = [
                {
                    "start": text.index(string),
                    "end": text.index(string) + len(string),
                    "type": type,
                    "kind": kind,
                    "score": score,
                }
                for string, type, kind, score in found
            ]
            stream.write(json.dumps({"text": text, "mentions": mentions}) + "\n")
    return str(path)


@pytest.fixture
def gold(tmp_path: Path) -> str:
    return write(
        tmp_path / "gold.jsonl",
        [("Ann Lee", "PER", "NAM", 1), ("Acme", "ORG", "NAM", 1), ("Paris", "GPE", "NAM", 1)],
        [("boss", "PER", "NOM", 1), ("Ann Lee", "PER", "NAM", 1)],
    )


@pytest.fixture
def predicted(tmp_path: Path) -> str:
    return write(
        tmp_path / "predicted.jsonl",
        [("Ann", "PER", "NAM", 0.6), ("Acme", "ORG", "NAM", 0.9), ("Paris", "ORG", "NAM", 0.4)],
        [("boss", "PER", "NOM", 0.8), ("Ann Lee", "PER", "NAM", 0.7)],
    )


def run(*arguments: str) -> int:
    args = make_parser(["evaluate"]).parse_args(["evaluate", *arguments])
    result = args.run(args) or 0
    assert isinstance(result, int)
    return result


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run(*arguments, "--json") == 0
    return json.loads(capsys.readouterr().out)


def test_table_of_labels_names_and_nominals(
    gold: str, predicted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(gold, predicted) == 0
    rows = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert rows["PER"] == ["50.00", "50.00", "50.00", "2", "2", "1"]
    assert rows["PER_NOM"] == ["100.00", "100.00", "100.00", "1", "1", "1"]
    assert rows["names"] == ["50.00", "50.00", "50.00", "4", "4", "2"]
    assert rows["nominals"][0] == "100.00"
    assert rows["overall"] == ["60.00", "60.00", "60.00", "5", "5", "3"]


def test_json_holds_every_section_asked_for(
    gold: str, predicted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--bootstrap", "50", "--errors", "1", "--curve", "--by", "depth", "--train", gold]
    data = report(capsys, gold, predicted, *options)
    assert data["scores"]["overall"]["f1"] == 60
    assert data["scores"]["labels"]["GPE"]["fn"] == 1
    assert 0 <= data["intervals"]["f1"]["low"] <= 60 <= data["intervals"]["f1"]["high"] <= 100
    assert data["by_depth"]["0"]["tp"] == 3
    assert data["by_seen"]["seen"]["tp"] == 3
    assert data["by_seen"]["seen with another label"]["fp"] == 1
    assert data["curve"][10]["threshold"] == 0.5
    assert (data["curve"][10]["tp"], data["curve"][10]["fp"]) == (3, 1)
    assert data["errors"]["counts"] == {
        "type": 1, "boundary": 1, "boundary+type": 0, "missed": 0, "spurious": 0
    }  # fmt: skip
    assert data["errors"]["confusions"] == [{"gold": "GPE", "predicted": "ORG", "number": 1}]
    assert data["errors"]["examples"][0]["gold"]["text"] == "Paris"


def test_text_of_every_section(gold: str, predicted: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(gold, predicted, "--bootstrap", "20", "--errors", "2", "--curve", "--by", "depth", "--train", gold)
    out = capsys.readouterr().out
    assert "95 % interval (20 samples of documents)" in out
    assert "seen with another label" in out
    assert "[Ann Lee] works for Acme in Paris .  gold: PER 'Ann Lee', predicted: PER 'Ann'" in out


def test_by_length_with_recall_ceiling(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("Ann B-PER\nLee I-PER\nin O\nParis B-LOC\n\nBob B-PER\n\n", encoding="utf-8")
    data = report(capsys, str(path), str(path), "--by", "length", "--bootstrap", "10", "--unit", "sentence")
    assert {length: row["tp"] for length, row in data["by_length"].items()} == {"1": 2, "2": 1}
    assert [round(data["recall_ceiling"][n]) for n in "12"] == [67, 100]
    run(str(path), str(path), "--by", "length")
    assert "tokens at most" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ([], "either a file of predictions or --model"),
        (["PREDICTED", "--model", "m"], "either a file of predictions or --model"),
        (["PREDICTED", "--by", "seen"], "--by seen needs the training corpus"),
        (["PREDICTED", "--as", "news"], "--as and --map need --model"),
        (["--model", "m", "--as", "news", "--map", "A=B"], "either --as or --map"),
    ],
)
def test_contradictory_arguments_are_refused(gold: str, extra: list[str], message: str) -> None:
    with pytest.raises(FofeError, match=message):
        run(gold, *extra)


def test_texts_that_differ_are_refused(gold: str, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"text": "Something else", "mentions": []}\n', encoding="utf-8")
    with pytest.raises(InputError, match="the texts of document 1"):
        run(gold, str(other))


def test_corpora_of_no_document_are_named(gold: str, predicted: str, tmp_path: Path) -> None:
    empty, folder = tmp_path / "empty.jsonl", tmp_path / "folder"
    empty.write_text("", "utf-8")
    folder.mkdir()
    for arguments, name in (
        ([str(empty), str(empty)], "empty.jsonl"),
        ([gold, str(empty)], "empty.jsonl"),
        ([str(folder), predicted], "folder"),
        ([gold, predicted, "--train", str(empty)], "empty.jsonl"),
    ):
        with pytest.raises(InputError, match=rf"{name}: holds no document \("):
            run(*arguments)


def test_a_prediction_without_mentions_is_scored(
    gold: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nothing = tmp_path / "nothing.jsonl"
    lines = [json.loads(line) for line in Path(gold).read_text("utf-8").splitlines()]
    nothing.write_text("".join(json.dumps({**line, "mentions": []}) + "\n" for line in lines), "utf-8")
    overall = report(capsys, gold, str(nothing))["scores"]["overall"]
    assert (overall["recall"], overall["f1"]) == (0, 0)


def test_text_without_tokens_is_tokenised_on_request(
    gold: str, predicted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data = report(capsys, gold, predicted, "--by", "length", "--lang", "en")
    assert {length: row["tp"] for length, row in data["by_length"].items()} == {"1": 2, "2": 1}
    with pytest.raises(InputError, match=r"document 1 of the gold has no tokens .*--lang"):
        run(gold, predicted, "--by", "length")


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model that takes every capitalised word for a person: it knows shapes of words, but no word."""
    config = ModelConfig(
        max_words=1,
        views=(ViewConfig("cased", "cased", dimension=1, codes=("bag",)),),
        characters=CharacterConfig(fofe=False, cnn=False),
        hidden=(1,),
    )
    weights = {
        "tables.cased": [[0], [1], [0], [0], [0]],
        "layers.0.weight": [[1]],
        "layers.0.bias": [0],
        "layers.1.weight": [[0], [10]],
        "layers.1.bias": [0, -5],
    }
    stored = StoredModel(
        model=config,
        labels=("NONE", "PER"),
        decoding=Decoding(),
        vocabularies={"cased": Vocabulary([], cased=True, digits=config.digits)},
        alphabet=None,
        weights={name: np.array(values, np.float32) for name, values in weights.items()},
    )
    save_model(stored, tmp_path / "model")
    return str(tmp_path / "model")


def test_model_tags_the_tokens_of_the_gold(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("Ann B-PER\nsaw O\nBob B-PER\n\nin O\nParis B-LOC\n\n", encoding="utf-8")
    overall = report(capsys, str(path), "--model", model)["scores"]["overall"]
    assert (overall["tp"], overall["fp"], overall["fn"]) == (2, 1, 1)


def test_model_tokenises_text_that_has_no_tokens(
    model: str, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(gold, "--model", model, "--errors", "9") == 0
    captured = capsys.readouterr()
    assert "gold: ORG 'Acme', predicted: PER 'Acme'" in captured.out
    assert "2 documents without tokens tokenised as en" in captured.err


def stored_with_corpora(model: str, **labels: list[str]) -> str:
    """The model of capitalised words, as if trained on a flat corpus that calls people HUMAN."""
    stored = load_model(model)
    labels = {"HUMAN": ["PER"], "HUMAN_NOM": ["PER_NOM"], **labels}
    scheme = {"labels": labels, "nested": False, "heads": True}
    save_model(replace(stored, training={"corpora": {"news": scheme}}), model)
    return model


def test_a_model_in_the_labels_of_a_corpus(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.jsonl"
    entities = [[0, 1, "HUMAN"], [2, 3, "CITY"], [4, 7, "HUMAN_NOM"]]
    words = ["Ann", "saw", "Rome", "and", "the", "Mayor", "there"]
    path.write_text(json.dumps({"tokens": words, "entities": entities}) + "\n", encoding="utf-8")
    stored_with_corpora(model)
    labels = report(capsys, str(path), "--model", model, "--as", "news")["scores"]["labels"]
    assert set(labels) == {"HUMAN"}, "what the corpus does not annotate is left out"
    assert (labels["HUMAN"]["tp"], labels["HUMAN"]["fp"], labels["HUMAN"]["fn"]) == (1, 2, 0)
    given = ["--map", "HUMAN=PER", "--map", "CITY=", "--map", "HUMAN_NOM=PER"]
    labels = report(capsys, str(path), "--model", model, *given, "--heads")["scores"]["labels"]
    assert "CITY" not in labels
    assert labels["HUMAN"]["fn"] + labels["HUMAN"]["tp"] == 2, "both stand for PER"
    with pytest.raises(FofeError, match=r"not trained on a corpus 'olds' \(its corpora: news\)"):
        run(str(path), "--model", model, "--as", "olds")
    with pytest.raises(FofeError, match="'HUMAN' is not LABEL=LABEL"):
        run(str(path), "--model", model, "--map", "HUMAN")
    with pytest.raises(FofeError, match=r"the model has no label 'PERSON' \(it has: PER\)"):
        run(str(path), "--model", model, "--map", "HUMAN=PERSON")


def test_a_corpus_is_scored_as_training_decoded_it_until_the_scores_are_calibrated(
    model: str, gold: str, capsys: pytest.CaptureFixture[str]
) -> None:
    stored_with_corpora(model)
    stored = load_model(model)
    found = report(capsys, gold, "--model", model, "--map", "ORG=PER")["scores"]["overall"]
    assert found["tp"] + found["fp"] > 0
    scheme = {"labels": {"ORG": ["PER"]}, "nested": False, "heads": False}
    decoding = {"threshold": 1.0, "strategy": "highest-first", "nested": False}
    training = {"corpora": {"news": {**scheme, "decoding": decoding}}}
    for extra, finds in (((), False), (("calibration",), True)):
        save_model(replace(stored, training=training | {name: {} for name in extra}), model)
        overall = report(capsys, gold, "--model", model, "--as", "news")["scores"]["overall"]
        assert (overall["tp"] + overall["fp"] > 0) == finds


def test_labels_that_only_one_side_has_are_pointed_out(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.jsonl"
    line = {"tokens": ["Ann", "saw", "Rome"], "entities": [[0, 1, "HUMAN"], [2, 3, "CITY"]]}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    stored_with_corpora(model)
    assert run(str(path), "--model", model) == 0
    told = capsys.readouterr().err
    assert "1 mention of CITY, a label that the model does not have" in told
    assert "1 mention of HUMAN, a label that the model does not have" in told
    assert "2 predicted mentions of PER, a label that no mention here has" in told
    assert "give --as news to score by the labels of that training corpus; or --map LABEL=L" in told
    assert run(str(path), "--model", model, "--as", "news") == 0
    assert "these count as errors" not in capsys.readouterr().err
    path.write_text(json.dumps({**line, "entities": [[0, 1, "CITY"]]}) + "\n", encoding="utf-8")
    stored_with_corpora(model, CITY=["PER_NOM"])
    assert run(str(path), "--model", model, "--as", "news") == 0
    told = capsys.readouterr().err
    assert "2 predicted mentions of HUMAN, a label that no mention here has, counted as wrong" in told


def test_a_corpus_is_named_only_where_its_labels_fit(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.jsonl"
    stored_with_corpora(model)
    for label, named in (("PERSON", False), ("HUMAN", True)):
        path.write_text(json.dumps({"tokens": ["Ann", "left"], "entities": [[0, 1, label]]}) + "\n", "utf-8")
        assert run(str(path), "--model", model) == 0
        told = capsys.readouterr().err
        assert ("give --as news to score" in told) == named
        assert ("these count as errors; give --map LABEL=" in told) != named


def test_only_the_outermost_of_gold_counts_by_a_flat_corpus(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.jsonl"
    line = {"tokens": ["Ann", "Lee", "saw", "Rome"], "entities": [[0, 2, "HUMAN"], [1, 2, "HUMAN"]]}
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    stored_with_corpora(model)
    assert run(str(path), "--model", model, "--as", "news", "--json") == 0
    told = capsys.readouterr()
    overall = json.loads(told.out)["scores"]["overall"]
    assert overall["tp"] + overall["fn"] == 1
    assert told.err.startswith(f"fofe: {path}: ")
    assert "gold.jsonl: 1 mention inside others left out because the corpus is annotated flat" in told.err


def test_an_ensemble_in_the_labels_of_a_corpus(
    conditioned_path: Path, tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = str(tmp_path / "both")
    save_ensemble(Ensemble.of([conditioned_path, conditioned_path]), both)
    gold = str(tiny_config.parent / "dev.jsonl")
    for corpus in ("everything", "names"):
        one = report(capsys, gold, "--model", str(conditioned_path), "--as", corpus)["scores"]
        assert report(capsys, gold, "--model", both, "--as", corpus)["scores"] == one
        assert ("PER_NOM" in one["labels"]) == (corpus == "everything")
    mapped = report(capsys, gold, "--model", both, "--map", "ORG=ORG,GPE", "--map", "GPE=")["scores"][
        "labels"
    ]
    assert set(mapped) == {"ORG", "ORG_NOM", "PER", "PER_NOM"}


def test_members_of_an_ensemble_must_agree_on_a_corpus(model: str, tmp_path: Path, gold: str) -> None:
    stored_with_corpora(model)
    stored = load_model(model)
    other = {"corpora": {"news": {"labels": {"HUMAN": ["PER"]}, "nested": True, "heads": False}, "more": {}}}
    save_model(replace(stored, training=other), tmp_path / "other")
    save_ensemble(Ensemble.of([model, tmp_path / "other"]), tmp_path / "both")
    with pytest.raises(FofeError, match=r"not trained on a corpus 'more' \(its corpora: news\)"):
        run(gold, "--model", str(tmp_path / "both"), "--as", "more")
    with pytest.raises(FofeError, match="different schemes for 'news'"):
        run(gold, "--model", str(tmp_path / "both"), "--as", "news")


def test_what_a_mapping_leaves_out_is_told(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("Ann B-HUMAN\nsaw O\nRome B-CITY\n\n", encoding="utf-8")
    assert run(str(path), "--model", model, "--map", "HUMAN=PER", "--map", "TOWN=") == 0
    told = capsys.readouterr().err
    assert "gold.conll: --map names a label that no mention has: TOWN" in told
    assert "gold.conll: 1 mention of CITY left out because no label of the model stands for that" in told


def test_labels_of_the_model_that_a_mapping_leaves_out_are_told(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("Ann B-HUMAN\nslept O\n\n", encoding="utf-8")
    assert run(str(path), "--model", str(tiny_path), "--map", "HUMAN=PER") == 0
    told = capsys.readouterr().err
    assert "labels of the model left out, since none here stands for them: GPE, ORG, ORG_NOM" in told


def test_a_curve_without_scores_is_pointed_out(gold: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(gold, gold, "--curve") == 0
    assert "the predictions carry no scores" in capsys.readouterr().err


def test_a_label_of_the_model_that_stands_for_two_is_told(
    conditioned_path: Path, tiny_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, model = str(tiny_config.parent / "dev.jsonl"), str(conditioned_path)
    assert run(gold, "--model", model, "--map", "ORG=ORG,GPE") == 0
    told = capsys.readouterr().err
    assert "count as one, since --map gives them the same label of the model: GPE for GPE and ORG\n" in told
    assert "PER" not in told
    for settings in (["ORG=ORG,GPE", "GPE="], ["ORG=GPE", "GPE=ORG"]):
        assert run(gold, "--model", model, *(part for one in settings for part in ("--map", one))) == 0
        assert "count as one" not in capsys.readouterr().err


def test_heads_flat_views_and_unknown_regions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, predicted = tmp_path / "gold.jsonl", tmp_path / "predicted.jsonl"
    words = ["his", "old", "friend", "at", "Oslo", "University", "came", "home"]
    phrase, head = [[0, 3, "PER_NOM"]], [[2, 3, "PER_NOM"]]
    names = [[4, 6, "ORG"], [4, 5, "GPE"]]
    line = {"tokens": words, "entities": phrase + names, "unknown": [[6, 8]]}
    gold.write_text(json.dumps(line), encoding="utf-8")
    line = {"tokens": words, "entities": [*head, names[0], [4, 5, "LOC"], [7, 8, "LOC"]]}
    predicted.write_text(json.dumps(line), encoding="utf-8")

    def counts(*options: str) -> tuple[int, int, int]:
        overall = report(capsys, str(gold), str(predicted), *options)["scores"]["overall"]
        return overall["tp"], overall["fp"], overall["fn"]

    assert counts() == (1, 2, 2), "what is found in unknown text is neither right nor wrong"
    assert counts("--heads") == (2, 1, 1)
    assert counts("--heads", "--flat") == (2, 0, 0)


def test_documents_with_ids_are_paired_by_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = tmp_path / "gold.jsonl", tmp_path / "brat"
    lines = [
        {"id": f"dev-{number}", "text": text, "mentions": [{"start": 0, "end": 3, "type": "PER"}]}
        for number, text in ((0, "Ann left."), (2, "Bob left."), (10, "Eve left."))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    write_corpus(read_corpus(path), folder, "brat")
    for first, second in ((path, folder), (folder, path)):
        data = report(capsys, str(first), str(second), "--against", str(path))
        assert data["scores"]["overall"]["tp"] == 3
    (tmp_path / "other.jsonl").write_text(json.dumps(lines[2]) + "\n" + json.dumps(lines[0]) + "\n", "utf-8")
    with pytest.raises(InputError, match=r"document 1 .dev-0. of the gold is paired with"):
        run(str(path), str(tmp_path / "other.jsonl"))


def test_text_that_was_tagged_without_the_ids_of_the_gold_is_paired_by_order(
    gold: str, predicted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for name, path in (("gold", gold), ("plain.txt", predicted)):
        lines = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines()]
        named = [json.dumps({"id": f"{name}:{number}", **line}) for number, line in enumerate(lines, start=1)]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(named), "utf-8")
    with_ids = report(capsys, *map(str, paths), "--against", str(paths[1]), "--errors", "1")
    assert with_ids["scores"] == report(capsys, gold, predicted)["scores"]
    assert with_ids["comparison"]["f1"]["difference"] == 0
