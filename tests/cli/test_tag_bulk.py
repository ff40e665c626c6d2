"""`fofe tag` on much input: several processes, bad documents, and ends before the end."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fofe.cli import main
from fofe.tagging import pipeline

TEXT = "Anna Berg met the mayor of Bergen."
HANGING = 3600
"""Seconds after which a process is taken to hang."""
SENTENCES = (
    TEXT,
    "The University of Leeds hired Omar Haddad in 2014.",
    "",
    "In Lima it rained all day.",
    "Shares of Acme fell 3.5 % after Li Wei left the company.",
)


@pytest.fixture
def model(tiny_path: Path) -> str:
    return str(tiny_path)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("input", ["text", "jsonl"])
def test_a_line_that_arrives_is_answered_before_the_next(model: str, workers: str, input: str) -> None:
    command = [sys.executable, "-m", "fofe", "tag", "-m", model, "--workers", workers, "--input", input]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tagging:
        assert tagging.stdin
        assert tagging.stdout
        for text in SENTENCES[:2]:
            tagging.stdin.write((json.dumps({"text": text}) if input == "jsonl" else text) + "\n")
            tagging.stdin.flush()
            assert json.loads(tagging.stdout.readline())["text"] == text
        tagging.stdin.write("".join(f"{json.dumps({'text': TEXT})}\n" for _ in range(3)))
        tagging.stdin.close()
        assert len(tagging.stdout.readlines()) == 3
    assert tagging.returncode == 0


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a short input is already shared among workers, again and again."""
    monkeypatch.setattr(pipeline, "CHUNK_BYTES", 200)


def tag(model: str, *arguments: str) -> int:
    return main(["tag", "--model", model, *arguments])


def write_text(folder: Path, lines: int) -> str:
    path = folder / "news.txt"
    path.write_text("".join(f"{SENTENCES[number % 5]}\n" for number in range(lines)), encoding="utf-8")
    return str(path)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("format", ["jsonl", "tsv", "text", "conll"])
def test_several_processes_write_what_one_does(
    format: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_text(tmp_path, 203)
    assert tag(model, path, "--format", format) == 0
    one = capsys.readouterr()
    assert tag(model, path, "--format", format, "--workers", "2") == 0
    assert capsys.readouterr() == one
    assert one.out.count("Berg") >= 41


@pytest.mark.usefixtures("small_chunks")
def test_corpora_of_all_formats_in_one_call(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = write_text(tmp_path, 20)
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n\n" for text in SENTENCES), encoding="utf-8")
    for target in ("conll", "brat"):
        converted = str(tmp_path / f"corpus.{target}")
        assert main(["corpus", "convert", str(corpus), converted, "--to", target, "--lang", "en"]) == 0
    capsys.readouterr()
    inputs = [text, str(corpus), str(tmp_path / "corpus.conll"), str(tmp_path / "corpus.brat")]
    assert tag(model, *inputs) == 0
    one = capsys.readouterr()
    assert tag(model, *inputs, "--workers", "2") == 0
    assert capsys.readouterr() == one
    documents = [json.loads(line) for line in one.out.splitlines()]
    assert [len(document["mentions"]) for document in documents[:5]] == [3, 3, 0, 1, 3]
    assert [len(document["mentions"]) for document in documents[20:25]] == [3, 3, 0, 1, 3]


@pytest.mark.parametrize(
    ("format", "more"),
    [
        ("jsonl", []),
        ("tsv", []),
        ("text", []),
        ("conll", []),
        ("jsonl", ["--workers", "2"]),
        ("jsonl", ["--unit", "file"]),
    ],
)
def test_nothing_in_nothing_out(
    format: str, more: list[str], model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    assert tag(model, str(path), *more, "--format", format) == 0
    assert capsys.readouterr() == ("", f"fofe: 1 file without a document (first: {path})\n")


@pytest.fixture
def bad_corpus(tmp_path: Path) -> str:
    """Five lines: the second, third and fourth cannot be read."""
    good = json.dumps({"id": "good", "text": TEXT}).encode()
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"\n".join([good, b'{"text": "cut off', b'{"id": 1}', b'{"text": "caf\xe9"}', good]))
    return str(path)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_bad_document_is_told_and_the_rest_goes_on(
    workers: str, model: str, bad_corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out.jsonl"
    assert tag(model, bad_corpus, "--workers", workers, "-o", str(output)) == 1
    assert [json.loads(line)["text"] for line in output.read_text("utf-8").splitlines()] == [TEXT, TEXT]
    errors = capsys.readouterr().err.splitlines()
    assert [error.split(" (")[0] for error in errors] == [
        f"fofe: {bad_corpus}:2: not JSON: Invalid control character at: line 1 column 18",
        f"fofe: {bad_corpus}:3: the line: no text",
        f"fofe: {bad_corpus}:4: byte 0xe9 at offset 13 of the line is not UTF-8",
        "fofe: 2 documents without tokens tokenised as en",
        "fofe: 3 documents left out for the reasons given above; 2 tagged",
    ]


def test_a_bad_line_of_text_is_left_out(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes(f"{TEXT}\ncafé\n{TEXT}\n".encode("latin-1"))
    assert tag(model, str(path)) == 1
    captured = capsys.readouterr()
    assert [json.loads(line)["id"] for line in captured.out.splitlines()] == [f"{path}:1", f"{path}:3"]
    assert f"{path}:2: byte 0xe9" in captured.err


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_many_bad_lines_of_a_file_are_counted(
    workers: str, model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    latin, other = tmp_path / "latin.txt", tmp_path / "other.txt"
    latin.write_bytes("café\n".encode("latin-1") * 90 + b"Lima\n")
    other.write_bytes("café\n".encode("latin-1") * 5)
    assert tag(model, str(latin), str(other), "--workers", workers) == 1
    errors = capsys.readouterr().err.splitlines()
    assert [line.split(": byte")[0] for line in errors] == [
        *(f"fofe: {latin}:{number}" for number in range(1, 6)),
        *(f"fofe: {other}:{number}" for number in range(1, 6)),
        f"fofe: {latin}: 85 more left out",
        "fofe: 95 documents left out for the reasons given above; 1 tagged",
    ]


def test_a_bad_file_does_not_keep_others_from_being_tagged(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, content in enumerate(["Lima O\n", "Lima O\nPeru\n", "Porto O\n"]):
        (tmp_path / f"{number}.conll").write_text(content, encoding="utf-8")
    (tmp_path / "4.ann").write_text("nonsense\n", encoding="utf-8")
    (tmp_path / "4.txt").write_text("In Lima.\n", encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("0.conll", "1.conll", "2.conll", "4.ann")]
    assert tag(model, *paths, "--format", "conll") == 1
    captured = capsys.readouterr()
    assert [line.split()[0] for line in captured.out.splitlines() if line] == [
        "-DOCSTART-", "Lima", "-DOCSTART-", "Porto",
    ]  # fmt: skip
    assert "1.conll:2: 1 column where the rows before have 2" in captured.err
    assert "4.ann:1: 'nonsense' is no brat annotation" in captured.err
    assert "2 documents left out for the reasons given above; 2 tagged" in captured.err


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_strict_stops_at_the_first_bad_document(
    workers: str, model: str, bad_corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tag(model, bad_corpus, "--strict", "--workers", workers) == 2
    captured = capsys.readouterr()
    assert len(captured.out.splitlines()) == 1
    assert captured.err.startswith(f"fofe: {bad_corpus}:2: not JSON")
    assert captured.err.count("\n") == 1
    output = tmp_path / "out.jsonl"
    assert tag(model, bad_corpus, "--strict", "--workers", workers, "-o", str(output)) == 2
    assert not output.exists()
    assert sorted(tmp_path.iterdir()) == [Path(bad_corpus)]


def test_mistakes_are_told_once_by_several_workers(
    model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tag(model, "--text", TEXT, "--strategy", "best", "--workers", "2") == 2
    assert capsys.readouterr().err.startswith("fofe: strategy must be one of")
    assert tag(str(tmp_path), "--text", TEXT, "--workers", "2") == 2
    error = capsys.readouterr().err
    assert "holds no model" in error
    assert error.count("\n") == 1


def _heed_interrupts() -> None:
    """As in the foreground: what is started in the background ignores them, and so do its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def endless(model: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`fofe tag` with two workers on input without end, as a shell starts it, after its first line."""
    with (
        subprocess.Popen(["yes", TEXT], stdout=subprocess.PIPE) as source,
        subprocess.Popen(
            [sys.executable, "-m", "fofe", "tag", "--model", model, "--workers", "2", *arguments],
            stdin=source.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_heed_interrupts,
        ) as process,
    ):
        assert source.stdout is not None
        assert process.stdout is not None
        source.stdout.close()
        try:
            assert json.loads(process.stdout.readline())["text"] == TEXT
            yield process
        finally:
            process.kill()


def running(*columns: str) -> list[list[str]]:
    """These columns of `ps` for all processes that have not ended."""
    listed = subprocess.run(
        ["ps", "-A", "-o", ",".join(f"{name}=" for name in (*columns, "stat"))],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [row for row in rows if not row[-1].startswith("Z")]


def workers_of(process: subprocess.Popen[str]) -> set[int]:
    return {int(pid) for pid, parent, _ in running("pid", "ppid") if int(parent) == process.pid}


def wait_for_end(pids: set[int]) -> None:
    """Return when none of the processes runs any more."""
    for _ in range(10 * HANGING):
        if pids.isdisjoint(int(pid) for pid, _ in running("pid")):
            return
        time.sleep(0.1)
    raise AssertionError(f"some of {pids} still run")


def test_a_killed_worker_is_an_error(model: str) -> None:
    with endless(model) as process:
        workers = workers_of(process)
        assert len(workers) == 2
        os.kill(min(workers), signal.SIGKILL)
        _, error = process.communicate(timeout=HANGING)
        assert process.returncode == 2
        assert error == (
            "fofe: a worker process was killed by signal 9 (if memory is short, use fewer workers) "
            "before its work was done\n"
        )
        wait_for_end(workers)


def test_an_interrupt_ends_all_processes(model: str) -> None:
    with endless(model) as process:
        workers = workers_of(process)
        os.killpg(process.pid, signal.SIGINT)  # what Ctrl-C on a terminal does
        _, error = process.communicate(timeout=HANGING)
        assert process.returncode == 130
        assert error == "fofe: interrupted\n"
        wait_for_end(workers)


def test_workers_do_not_outlive_a_killed_parent(model: str) -> None:
    with endless(model) as process:
        workers = workers_of(process)
        process.kill()
        assert process.communicate(timeout=HANGING)[1] == ""
        wait_for_end(workers)


def test_a_reader_that_leaves_early_ends_all_processes(model: str) -> None:
    with endless(model) as process:
        workers = workers_of(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=HANGING) == 0
        assert process.stderr.read() == ""
        wait_for_end(workers)


def on_a_terminal(model: str, path: str, output: str) -> str:
    """What a terminal shows of errors and, for `-`, of the output."""
    master, slave = pty.openpty()
    os.set_blocking(master, False)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, "-m", "fofe", "tag", "--model", model, path, "-o", output]
    try:
        subprocess.run(command, stdout=slave, stderr=slave, check=True, timeout=HANGING)
        return os.read(master, 65_536).decode()
    finally:
        os.close(master)
        os.close(slave)


def test_a_bar_shows_how_much_of_the_input_is_done(model: str, tmp_path: Path) -> None:
    path = write_text(tmp_path, 5)
    size = os.path.getsize(path)
    assert f"0.00/{size}" in on_a_terminal(model, path, str(tmp_path / "out.jsonl"))


def test_no_bar_runs_through_the_text_on_a_terminal(model: str, tmp_path: Path) -> None:
    shown = on_a_terminal(model, write_text(tmp_path, 5), "-")
    assert "mayor" in shown
    assert "\x1b[1;" in shown
    assert "%|" not in shown
