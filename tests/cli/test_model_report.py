"""`fofe model report`: a page about a model."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fofe.cli import main


@pytest.fixture(scope="module")
def page(tiny_run: Path, tiny_config: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "tiny.html"
    corpus = str(tiny_config.parent / "dev.jsonl")
    model = str(tiny_run / "model")
    assert main(["model", "report", model, "--corpus", corpus, "-o", str(path), "--errors", "2"]) == 0
    return path.read_text("utf-8")


def test_it_stands_alone_and_has_every_part(page: str) -> None:
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r'(src|href)="', page)
    parts = re.findall(r"<h2>(.+)</h2>", page)
    assert parts == ["Learning", "Scores", "Thresholds and scores", "Confusions", "Errors in context"]


def test_charts_are_sound_and_tell_the_metrics(page: str, tiny_run: Path) -> None:
    charts = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.+?</svg>", page, re.S)]
    assert len(charts) == 4
    titles = [title.text or "" for chart in charts for title in chart.iter() if title.tag.endswith("title")]
    for line in (tiny_run / "metrics.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        assert f"loss: {entry['loss']:.4g} at {entry['epoch']}" in titles
        if "dev_f1" in entry:
            assert f"F1: {entry['dev_f1']:.4g} at {entry['epoch']}" in titles


def test_scores_are_those_of_evaluate(
    page: str, tiny_run: Path, tiny_config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = str(tiny_config.parent / "dev.jsonl")
    main(["evaluate", corpus, "--model", str(tiny_run / "model"), "--json"])
    overall = json.loads(capsys.readouterr().out)["scores"]["overall"]
    row = re.search(r"<tr><td>all</td>(.+?)</tr>", page)
    assert row is not None
    cells = re.findall(r"<td>(.+?)</td>", row[1])
    assert cells[:3] == [f"{overall[key]:.2f}" for key in ("precision", "recall", "f1")]


def test_errors_are_shown_as_gold_and_found(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = {"id": "<one>", "text": "Omar Haddad left for Lima.", "entities": [[0, 11, "ORG"]]}
    (tmp_path / "gold.jsonl").write_text(json.dumps(document), "utf-8")
    arguments = ["model", "report", str(tiny_path), "--corpus", str(tmp_path / "gold.jsonl"), "-o", "-"]
    assert main(arguments) == 0
    page = capsys.readouterr().out
    assert "<h3>type (1)</h3>" in page
    assert "&lt;one&gt;" in page
    gold, found = re.findall(r'<div class="side"><small>(?:gold|found)</small>(.+?)</div></div>', page)[:2]
    assert ">Omar Haddad<small>ORG</small>" in gold
    assert ">Omar Haddad<small>PER " in found


def test_the_corpus_is_not_replaced(
    tiny_path: Path, tiny_config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = shutil.copy(tiny_config.parent / "dev.jsonl", tmp_path)
    assert main(["model", "report", str(tiny_path), "--corpus", str(tmp_path), "-o", str(corpus)]) == 2
    assert "is the input itself" in capsys.readouterr().err


def test_a_text_is_not_replaced_by_a_page(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["model", "report", str(tiny_path), "-o", str(tmp_path / "notes.txt")]) == 2
    assert (
        "notes.txt: is there, and is no such file by its suffix (give the name of a .html"
        in capsys.readouterr().err
    )
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_model_away_from_its_run_has_no_curves(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(tiny_path, tmp_path / "alone" / "model")
    output = tmp_path / "report.html"
    assert main(["model", "report", str(tmp_path / "alone" / "model"), "-o", str(output)]) == 0
    page = output.read_text("utf-8")
    assert "There is no metrics.jsonl beside the model" in page
    assert "<h2>Scores</h2>" not in page
    printed = capsys.readouterr()
    assert printed.out == f"{output}\n"
    assert printed.err.startswith("fofe: without a corpus the page has no scores")
    assert "--corpus" in printed.err


def test_scores_in_the_labels_of_a_corpus(
    tiny_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"text": "Omar Haddad left for Lima.", "entities": [[0, 11, "HUMAN"], [21, 25, "CITY"]]}
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps(line), "utf-8")
    command = ["model", "report", str(tiny_path), "-o", "-", "--corpus", str(gold)]
    assert main(command) == 0
    told = capsys.readouterr()
    assert "<td>all</td><td>0.00</td>" in told.out
    assert "give --map LABEL=LABEL,..." in told.err
    assert main([*command, "--map", "HUMAN=PER", "--map", "CITY=GPE"]) == 0
    assert "<td>all</td><td>100.00</td><td>100.00</td>" in capsys.readouterr().out
    assert main([*command, "--map", "HUMAN=PER", "--as", "data"]) == 2
    assert "give either --as or --map" in capsys.readouterr().err
    assert main([*command, "--as", "olds"]) == 2
    assert "not trained on a corpus 'olds'" in capsys.readouterr().err
    assert main([*command[:5], "--as", "data"]) == 2
    assert "--as and --map need --corpus" in capsys.readouterr().err
