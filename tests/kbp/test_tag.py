"""`fofe kbp tag` on many documents: bad ones, several processes, and ends before the end."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fofe.base.journal import JOURNAL, Journal
from fofe.base.report import Report
from fofe.cli import main
from fofe.kbp.source import source_files
from fofe.kbp.tab import read_tab
from fofe.kbp.tag import SourceTagging, tag_files

from .conftest import BODY, FORUM, NEWSWIRE


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name, text in (("nw.xml", NEWSWIRE), ("df.xml", FORUM), ("wl.xml", BODY)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def tag(model: Path, docs: Path, output: Path, *more: str) -> int:
    return main(["kbp", "tag", "--model", f"eng={model}", str(docs), "-o", str(output), *more])


def test_mentions_and_authors_are_found_where_they_stand(
    tiny_path: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run.tab"
    assert tag(tiny_path, docs, output, "--run-id", "r1") == 0
    mentions = read_tab(output, Report())
    found = {(mention.document, mention.text, mention.type, mention.kind) for mention in mentions}
    assert {
        ("ENG_NW_1", "Anna Berg", "PER", "NAM"),
        ("ENG_NW_1", "mayor", "PER", "NOM"),
        ("ENG_DF_1", "Omar Haddad", "PER", "NAM"),
        ("ENG_DF_1", "anna_b", "PER", "NAM"),
        ("eng-WL-11-1", "Grace Otieno", "PER", "NAM"),
        ("eng-WL-11-1", "Lima", "GPE", "NAM"),
    } <= found
    assert [mention.id for mention in mentions] == [f"r1_{n:06}" for n in range(1, len(mentions) + 1)]
    authors = [mention for mention in mentions if mention.text == "Omar Haddad"]
    assert [(mention.score, FORUM.count(mention.text)) for mention in authors] == [(1.0, 2)]
    assert main(["kbp", "check", str(output), str(docs)]) == 0
    assert main(["kbp", "score", str(output), str(output)]) == 0
    assert "ALL    1.000 1.000 1.000" in capsys.readouterr().out
    assert not output.with_name("run.tab.work").exists()


def test_check_lists_what_is_wrong(
    tiny_path: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "run.tab"
    assert tag(tiny_path, docs, output, "--offsets-from", "file") == 0
    assert main(["kbp", "check", str(output), str(docs), "--offsets-from", "file"]) == 0
    assert main(["kbp", "check", str(output), str(docs)]) == 1
    assert "but 'Omar Haddad' in the mention" in capsys.readouterr().out


def test_bad_documents_are_listed_and_the_others_tagged(
    tiny_path: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (docs / "a.xml").write_bytes(b'<doc id="ENG_A">caf\xe9</doc>')
    (docs / "b.xml").write_text('<doc id="ENG_B"><post author="x', encoding="utf-8")
    (docs / "c.xml").write_text('<doc id="SPA_C">Hola</doc>', encoding="utf-8")
    (docs / "d.xml").write_text('<doc id="d">Toronto</doc>', encoding="utf-8")
    (docs / "e.xml").write_text('<doc id="e"></doc>', encoding="utf-8")
    (docs / "z.xml").write_text(NEWSWIRE, encoding="utf-8")
    output = tmp_path / "run.tab"
    assert tag(tiny_path, docs, output) == 1
    errors = capsys.readouterr().err
    for message in (
        "a.xml:1: byte 0xe9 at offset 19 is not UTF-8",
        "b.xml: document ENG_B: the tag <post at offset 16 never ends",
        "c.xml: document SPA_C is in spa, for which there is no model (add --model spa=...)",
        "d.xml: document d: its language cannot be recognised (give --lang)",
        f"z.xml: document ENG_NW_1 was already in {docs / 'nw.xml'}",
        "5 documents left out because of errors; 4 done",
    ):
        assert message in errors
    assert {mention.document for mention in read_tab(output, Report())} == {
        "ENG_NW_1",
        "ENG_DF_1",
        "eng-WL-11-1",
    }
    assert tag(tiny_path, docs, output, "--lang", "eng") == 1
    assert "c.xml" not in capsys.readouterr().err
    assert tag(tiny_path, docs / "a.xml", output) == 2
    assert main(["kbp", "check", str(output), str(docs / "a.xml")]) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "english"], "is not LANG=MODEL"),
        (["--model", "e=x"], "unknown language 'e'"),
        (["--model", "en=x", "--model", "eng=y"], "two models for eng"),
        (["--model", "eng=nowhere"], "no such model directory"),
    ],
)
def test_models_that_cannot_be_used(
    arguments: list[str], message: str, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["kbp", "tag", *arguments, str(docs), "-o", str(tmp_path / "run.tab")]) == 2
    assert message in capsys.readouterr().err


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("thousand")
    people = ("Anna Berg", "Omar Haddad", "Li Wei", "Jan Novak")
    places = ("Bergen", "Leeds", "Lima", "Porto", "Osaka")
    for number in range(1000):
        person, place = people[number % 4], places[number % 5]
        text = f"{person} met the mayor of {place} on day {number}.\n\nIn {place} it rained all day."
        author = f'<post author="user{number % 7}">\n{text}\n</post>'
        (folder / f"{number:04}.xml").write_text(
            f'<doc id="ENG_DF_{number:04}">\n{author}\n</doc>\n', encoding="utf-8"
        )
    return folder


def kill_half_way(model: Path, documents: Path, output: Path, work: Path) -> None:
    """Kill a run when some of its documents are done; one that was done sooner is run again."""
    command = [sys.executable, "-m", "fofe", "kbp", "tag", "--model", f"eng={model}", str(documents)]
    journal = work / JOURNAL
    for _ in range(10):
        shutil.rmtree(work, ignore_errors=True)
        output.unlink(missing_ok=True)
        run = subprocess.Popen([*command, "-o", str(output), "--workers", "2"])
        while run.poll() is None and (not journal.exists() or journal.read_bytes().count(b"\n") < 300):
            time.sleep(0.005)
        run.send_signal(signal.SIGKILL)
        if run.wait() == -signal.SIGKILL and 300 <= journal.read_bytes().count(b"\n") < 1001:
            return
    raise AssertionError("every run was over before it could be killed")


def test_a_killed_run_goes_on_to_the_same_result(
    tiny_path: Path, thousand: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, output = tmp_path / "whole.tab", tmp_path / "run.tab"
    assert tag(tiny_path, thousand, whole) == 0
    work = output.with_name("run.tab.work")
    kill_half_way(tiny_path, thousand, output, work)
    assert not output.exists()
    with (work / JOURNAL).open("ab") as stream:
        stream.write(b'{"key": "cut o')  # as a kill in the middle of a line leaves it

    assert tag(tiny_path, thousand, output) == 2
    assert "add --resume" in capsys.readouterr().err
    assert tag(tiny_path, thousand, output, "--resume", "--threshold", "0.99") == 2
    assert "other files, options or version" in capsys.readouterr().err
    assert tag(tiny_path, thousand, output, "--resume", "--workers", "2") == 0
    assert output.read_bytes() == whole.read_bytes()
    assert whole.read_text("utf-8").count("\n") >= 3000
    assert not work.exists()


def source(text: str, language: str, folder: Path) -> Path:
    path = folder / f"{len(text)}.xml"
    path.write_text(f'<doc id="{language}_{len(text)}">{text}</doc>', encoding="utf-8")
    return path


TEXTS = [
    "Anna Berg met the mayor of Bergen.",
    "In Lima it rained.",
    "The University of Lima hired Li Wei in 2014.",
]


def test_documents_alone_do_not_depend_on_others(tiny_path: Path, tmp_path: Path) -> None:
    tag = SourceTagging({"eng": str(tiny_path)}).start()
    files = [source(text, "eng", tmp_path) for text in TEXTS]
    together = tag(files)
    assert together == [tag([file])[0] for file in reversed(files)][::-1]


def test_models_by_the_language_of_inputs(tiny_path: Path, tmp_path: Path) -> None:
    models = {"eng": str(tiny_path), "spa": str(tiny_path)}
    tagged = SourceTagging(models, options={"threshold": 0.0}).start()(
        source(text, "spa", tmp_path) for text in TEXTS
    )
    assert all(mentions for _, entry in tagged for _, _, mentions, _ in entry["documents"])
    assert sum(len(entry["documents"]) for _, entry in tagged) == len(TEXTS)


def test_types_that_a_model_cannot_produce_are_told(
    tiny_path: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tag(tiny_path, docs, tmp_path / "run.tab") == 0
    assert (
        "the model of eng cannot find names of LOC, FAC, nor nominals of GPE, LOC, FAC"
        in capsys.readouterr().err
    )


def test_a_document_that_changed_is_tagged_again(tiny_path: Path, docs: Path, tmp_path: Path) -> None:
    how, files = SourceTagging({"eng": str(tiny_path)}), source_files([str(docs)])
    with Journal(tmp_path / "work", "run", resume=False) as journal:
        first, _ = tag_files(how, files, journal, Report(), [], run="r")
        (docs / "nw.xml").write_text(NEWSWIRE.replace("Anna Berg", "Omar Haddad"), encoding="utf-8")
        second, _ = tag_files(how, files, journal, Report(), [], run="r")
    assert "Anna Berg" in {mention.text for mention in first}
    assert "Anna Berg" not in {mention.text for mention in second}


def test_rules_change_what_is_found(
    tiny_path: Path, docs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output, rules = tmp_path / "run.tab", tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nname = "n"\ntype = "ORG"\naction = "replace"\nphrases = ["Anna Berg"]\n')
    command = ["kbp", "tag", "--model", f"eng={tiny_path}", "-o", str(output), "--rules", str(rules)]
    assert main([*command, str(docs)]) == 0
    found = {(mention.text, mention.type) for mention in read_tab(output, Report())}
    assert ("Anna Berg", "ORG") in found
    assert ("Anna Berg", "PER") not in found
    assert main(command) == 2
    assert "give source documents" in capsys.readouterr().err
