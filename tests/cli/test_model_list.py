"""Installed models on the command line: the list, names for models, and the language of each document."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fofe.base.errors import FofeError
from fofe.cli import main
from fofe.tagging.installed import model_path
from fofe.tagging.model import load

ENGLISH = "Anna Berg met the mayor of Bergen, and that was all she had to say."
SPANISH = "Omar Haddad dijo que no estaría en la reunión de los lunes con la alcaldesa de Lima."
FRENCH = "Le maire de la vieille ville a dit que les élus ne seraient pas dans la salle avec nous."
CHINESE = "老城的市长说她不会参加星期一的会议。"
NAMES = "Li Wei, Porto"

Install = Callable[[str, str], Path]
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def two(install_model: Install) -> None:
    """An English and a Spanish model."""
    install_model("en", "en")
    install_model("es", "es")


def write(path: Path, *lines: str) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return str(path)


def test_the_list(two: None, capsys: Captured) -> None:
    assert main(["model", "list"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "language", "types", "kinds", "megabytes", "F1", "licence"]
    assert [row.split()[:2] for row in rows] == [["en", "en"], ["es", "es"]]
    assert all(row.endswith("CC0-1.0") and "GPE ORG PER  NAM NOM" in row for row in rows)


def test_the_list_as_json(two: None, capsys: Captured) -> None:
    assert main(["model", "list", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert (first["name"], second["language"]) == ("en", "es")
    assert first["types"] == ["GPE", "ORG", "PER"]
    assert first["megabytes"] > 0
    assert Path(first["path"], "config.json").is_file()


def test_scores_that_are_not_of_test_sets_are_marked(install_model: Install, capsys: Captured) -> None:
    file = install_model("en", "en") / "config.json"
    config = json.loads(file.read_text("utf-8"))
    config["training"]["shipped"] = {
        "scores": {"news": {"f1": 88.5}, "novels": {"f1": 70.25}, "letters": {"f1": 60.0}},
        "parts": {"news": "test", "novels": "dev"},
    }
    file.write_text(json.dumps(config), "utf-8")
    assert main(["model", "list"]) == 0
    assert " news 88.50, novels dev 70.25, letters 60.00 " in capsys.readouterr().out
    assert main(["model", "list", "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)
    assert facts["f1"] == {"news": 88.5, "novels": 70.25, "letters": 60.0}
    assert facts["parts"] == {"news": "test", "novels": "dev"}


def test_the_list_needs_nothing_heavy(two: None) -> None:
    code = "import sys; from fofe.cli import main; main(['model', 'list']); sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.count("\n") == 3


def test_english_tags_where_nothing_is_said(two: None, capsys: Captured) -> None:
    assert main(["tag", "-t", ENGLISH, "-f", "text"]) == 0
    assert capsys.readouterr().out.startswith("[Anna Berg PER] met the [mayor PER_NOM] of [Bergen GPE]")


def test_a_directory_without_a_model_hides_no_name(
    two: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / "work" / "en").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    assert main(["tag", "--text", "Leeds won."]) == 0
    assert "mentions" in capsys.readouterr().out


def test_no_model_at_all_says_how_to_get_one(install_model: Install, capsys: Captured) -> None:
    assert main(["model", "list"]) == 0
    assert capsys.readouterr().out.startswith(
        "no models are installed (pip install ./models/en in a checkout"
    )
    assert main(["tag", "-t", ENGLISH]) == 2
    assert "(installed: none; pip install ./models/en in a checkout of fofe)" in capsys.readouterr().err


def test_every_command_takes_a_name(two: None, tmp_path: Path, tiny_config: Path, capsys: Captured) -> None:
    corpus = str(tiny_config.parent / "dev.jsonl")
    for command in (
        ["model", "inspect", "es"],
        ["evaluate", corpus, "--model", "en"],
        ["model", "report", "en", "-o", str(tmp_path / "report.html")],
        ["model", "calibrate", "en", corpus],
        ["model", "compress", "en", "-o", str(tmp_path / "small")],
        ["model", "average", "en", "en", "-o", str(tmp_path / "both")],
        [
            "train",
            str(tiny_config),
            "-o",
            str(tmp_path / "run"),
            "--from",
            "en",
            "--set",
            "training.epochs=1",
        ],
    ):
        assert main(command) == 0, capsys.readouterr().err


def test_a_language_stands_for_its_model(two: None, capsys: Captured) -> None:
    assert main(["tag", "--lang", "es", "-t", SPANISH, "-f", "tsv"]) == 0
    assert "Omar Haddad" in capsys.readouterr().out
    assert main(["tag", "--lang", "zh", "-t", CHINESE]) == 2
    assert "no model of the language 'zh' is installed (installed: en, es; pip" in capsys.readouterr().err


def test_a_model_and_a_language_are_too_much(two: None, capsys: Captured) -> None:
    assert main(["tag", "--lang", "es", "-m", "en", "-t", SPANISH]) == 2
    assert "give either --model or --lang" in capsys.readouterr().err


@pytest.mark.parametrize("workers", ["1", "2"])
def test_each_document_has_the_model_of_its_language(
    two: None, workers: str, tmp_path: Path, capsys: Captured
) -> None:
    lines = [SPANISH, ENGLISH, "", ENGLISH, SPANISH, NAMES] * 3
    news = write(tmp_path / "news.txt", *lines)
    assert main(["tag", "--lang", "auto", "--workers", workers, news]) == 0
    captured = capsys.readouterr()
    documents = [json.loads(line) for line in captured.out.splitlines()]
    assert [document["text"] for document in documents] == lines
    assert [document["id"] for document in documents] == [f"{news}:{n}" for n in range(1, len(lines) + 1)]
    english, spanish = load("en"), load("es")
    for document in documents:
        model = spanish if document["text"] == SPANISH else english
        alone = [(found.start, found.end, found.label) for found in model(document["text"]).mentions]
        assert [(one["start"], one["end"]) for one in document["mentions"]] == [one[:2] for one in alone]
    assert "3 documents in an unclear language, taken for en" in captured.err


def test_a_document_without_a_model_is_told_and_left_out(two: None, tmp_path: Path, capsys: Captured) -> None:
    news = write(tmp_path / "news.txt", ENGLISH, CHINESE, FRENCH, SPANISH)
    assert main(["tag", "--lang", "auto", news, "-f", "jsonl"]) == 1
    captured = capsys.readouterr()
    assert [json.loads(line)["text"] for line in captured.out.splitlines()] == [ENGLISH, SPANISH]
    assert f"{news}:2: no model of the language 'zh' is installed (installed: en, es; pip" in captured.err
    assert f"{news}:3: no model of the language 'fr' is installed" in captured.err
    assert captured.err.endswith("fofe: 2 documents left out for the reasons given above; 2 tagged\n")
    assert main(["tag", "--lang", "auto", news, "--strict"]) == 2


def test_words_of_a_corpus_are_kept(two: None, tmp_path: Path, capsys: Captured) -> None:
    words = [*ENGLISH.split(), "", "-DOCSTART-", "", *SPANISH.split()]
    corpus = write(tmp_path / "both.conll", *(f"{word} O" if word else "" for word in words))
    assert main(["tag", "--lang", "auto", corpus, "-f", "conll"]) == 0
    written = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [word for word in written if word != "-DOCSTART-"] == ENGLISH.split() + SPANISH.split()


def test_in_python(two: None) -> None:
    models = load("auto")
    assert models.languages == ["en", "es"]
    documents = list(models.with_options(threshold=0.4).tag([SPANISH, ENGLISH]))
    assert [document.text for document in documents] == [SPANISH, ENGLISH]
    assert models(ENGLISH).mentions == load("en")(ENGLISH).mentions
    assert models.model("es") is models.model("es")
    with pytest.raises(FofeError, match="no model of the language 'fr'"):
        models(FRENCH)
    with pytest.raises(FofeError, match="several texts are needed"):
        models.tag(ENGLISH)
    with pytest.raises(FofeError, match="a text is a string, not of type NoneType"):
        models(None)  # type: ignore[arg-type]


@pytest.fixture
def one_conditioned(two: None, conditioned_path: Path) -> None:
    """An English model that knows the conventions of `names`, and a Spanish one that knows none."""
    shutil.copytree(conditioned_path, model_path("en"), dirs_exist_ok=True)


def test_conventions_are_for_the_models_that_know_them(
    one_conditioned: None, tmp_path: Path, capsys: Captured
) -> None:
    news = write(tmp_path / "news.txt", ENGLISH, SPANISH, ENGLISH)
    assert main(["tag", "--lang", "auto", "--scheme", "names", news]) == 0
    captured = capsys.readouterr()
    documents = [json.loads(line) for line in captured.out.splitlines()]
    english, spanish = load("en").with_options(scheme="names")(ENGLISH), load("es")(SPANISH)
    for written, alone in zip(documents, (english, spanish, english), strict=True):
        assert [one["text"] for one in written["mentions"]] == [one.text for one in alone.mentions]
    assert "mayor" not in [mention["text"] for mention in documents[0]["mentions"]]
    told = "1 document tagged without --scheme because the model of 'es' does not know that of names"
    assert told in captured.err


def test_conventions_that_no_model_knows_are_an_error(one_conditioned: None, capsys: Captured) -> None:
    assert main(["tag", "--lang", "auto", "--scheme", "nmaes", "-t", SPANISH]) == 2
    told = "no installed model knows the annotation scheme of 'nmaes' (they know: everything, names)"
    assert told in capsys.readouterr().err


def test_words_go_to_the_model_of_their_language(two: None) -> None:
    sentences = [SPANISH.split(), ENGLISH.split()]
    both = [document.mentions for document in load("auto").tag_tokens(sentences)]
    assert both == [
        next(load(name).tag_tokens([words])).mentions
        for name, words in zip(("es", "en"), sentences, strict=True)
    ]
    assert all(both)


def test_no_model_for_any_language(install_model: Install) -> None:
    with pytest.raises(FofeError, match=r"no model of the language 'en' is installed \(installed: none; pip"):
        load("auto")


def test_a_server_refuses_what_is_no_origin(capsys: pytest.CaptureFixture[str]) -> None:
    for origin in ("example.org", "https://example.org/page"):
        assert main(["serve", "--allow-origin", origin]) == 2
        assert "an origin is like https://example.org" in " ".join(capsys.readouterr().err.split())


def test_a_server_takes_names_and_chooses_by_language(two: None) -> None:
    pytest.importorskip("fastapi", reason="serving needs fofe[serve]")
    from fofe.cli.serve import load_models
    from fofe.serve.app import Server
    from fofe.serve.guard import Limits

    models = load_models(["en", "spanish=es"])
    assert list(models) == ["en", "spanish"]
    assert Server(models, Limits()).name_for(None, "es") == "spanish"
    with pytest.raises(FofeError, match="auto: there is no such model"):
        load_models(["auto"])
