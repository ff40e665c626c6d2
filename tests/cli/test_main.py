"""The door to all commands."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fofe
from fofe.cli import COMMANDS, main, make_parser


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """`fofe` as a user starts it."""
    return subprocess.run(
        [sys.executable, "-m", "fofe", *arguments], capture_output=True, text=True, check=False
    )


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    return capsys.readouterr().out


def code_of(arguments: list[str]) -> object:
    """The exit code, be it returned or raised."""
    try:
        return main(arguments)
    except SystemExit as ended:
        return ended.code


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "--version") == f"fofe {fofe.__version__}\n"


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--help")
    for command in COMMANDS:
        assert re.search(rf"^ +{command}\b", text, re.MULTILINE)
    assert "examples:" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_examples_that_parse(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = printed(capsys, command, "--help").split("examples:")[1]
    calls = [line[line.index("fofe ") :] for line in examples.splitlines() if "fofe " in line]
    assert any(call.startswith(f"fofe {command} ") for call in calls)
    for call in calls:
        words = shlex.split(re.split(r" [|>]|   ", call)[0])
        assert make_parser().parse_args(words[1:]).run


@pytest.mark.parametrize(
    ("arguments", "commands"),
    [([], COMMANDS), (["model"], ["list", "push"]), (["corpus"], ["check", "wiki"])],
)
def test_without_a_command_the_help_lists_them(
    arguments: list[str], commands: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    text = capsys.readouterr().err
    assert text.startswith("usage: fofe")
    for command in commands:
        assert re.search(rf"^ +{command}\b", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("tagg", "did you mean fofe tag?"),
        ("evalute gold", "did you mean fofe evaluate?"),
        ("inspect en", "did you mean fofe model inspect?"),
        ("models", "did you mean fofe model list?"),
        ("ensemble a b", "did you mean fofe model average?"),
        ("calibrat", "did you mean fofe model calibrate?"),
        ("model inspct", "did you mean fofe model inspect?"),
        ("model wiki", "did you mean fofe corpus wiki?"),
        ("convert", "did you mean fofe corpus convert or fofe vectors convert or fofe kbp convert?"),
        ("qwxyz", "see fofe --help"),
        ("model qwxyz", "see fofe model --help"),
        ("tag --treshold 0.5", "did you mean --threshold?"),
        ("tag news.txt --treshold=0.5", "did you mean --threshold?"),
        ("model inspect en --jsn", "did you mean --json?"),
        ("tag --qwxyz", "see fofe tag --help"),
        ("--qwxyz", "see fofe --help"),
        ("-V", "see fofe --help"),
        ("model --qwxyz", "see fofe model --help"),
    ],
)
def test_a_mistyped_command_or_option_suggests_the_right_one(
    typed: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(typed.split()) == 2
    told = capsys.readouterr().err
    assert re.fullmatch(rf"fofe: there is no (command|option) .*: {re.escape(hint)}\n", told)


def test_the_commands_are_few() -> None:
    assert len(COMMANDS) <= 14, "group rare commands"


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "gold", "a", "--against", "b", "--seed", "-1"],
        ["evaluate", "gold", "a", "--against", "b", "--bootstrap", "-1"],
        ["evaluate", "gold", "predicted", "--errors", "-1"],
        ["tune", "my.toml", "-o", "search", "--trials", "0"],
        ["corpus", "wiki", "dump.xml", "-o", "weak.jsonl", "--workers", "0"],
        ["vectors", "neighbours", "vectors.bin", "Oslo", "-n", "-1"],
        ["tag", "--threshold", "abc"],
    ],
)
def test_numbers_that_make_no_sense_are_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert code_of(arguments) == 2
    option, number = arguments[-2:]
    told = capsys.readouterr().err
    problem = f"'{number}' is not a number from [01] on|invalid float value: '{number}'"
    assert re.fullmatch(rf"fofe: argument .*{option}.*: ({problem}) \(see fofe .* --help\)\n", told)


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("tag a.txt -f tsv b.txt", {"inputs": ["a.txt", "b.txt"]}),
        ("tag -f tsv a.txt --strict b.txt -", {"inputs": ["a.txt", "b.txt", "-"]}),
        ("tag -- -a.txt b.txt", {"inputs": ["-a.txt", "b.txt"]}),
        ("tag", {"inputs": []}),
        ("evaluate gold --curve predicted", {"gold": "gold", "predicted": "predicted"}),
        ("evaluate gold --curve -m en", {"gold": "gold", "predicted": None}),
        ("suggest a -m en -o z b", {"inputs": ["a", "b"]}),
        ("model average a -o t b", {"models": ["a", "b"]}),
        ("kbp convert a --gold g -o t b", {"documents": ["a", "b"]}),
    ],
)
def test_options_may_stand_between_arguments(command: str, given: dict[str, object]) -> None:
    parsed = vars(make_parser().parse_args(command.split()))
    assert {name: parsed[name] for name in given} == given


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("fofe", "evaluate", "threshold", "calibrate", "precision"):
        assert word in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_the_completion_script_is_sound_bash(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["completion", "bash"]) == 0
    path = tmp_path / "completion.sh"
    path.write_text(capsys.readouterr().out, encoding="utf-8")
    subprocess.run(["bash", "-n", str(path)], check=True)


def test_a_real_process_ends_with_a_message_and_no_traceback() -> None:
    result = run("tag", "--model", "none", "--text", "x")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith(
        "fofe: none: there is no such model directory, and no installed model has"
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("tag -m MODEL -t 'Anna Berg' >&-", 0),
        ("tag -m MODEL <&-", 0),
        ("tag -m MODEL <&- >&-", 0),
        ("tag -m MODEL --workers 2 -t 'Anna Berg' <&- >&-", 0),
        ("model list >&-", 0),
        ("--help >&-", 0),
        ("tag -m none -t x >&-", 2),
    ],
)
def test_streams_that_are_closed_are_no_error_of_ours(arguments: str, code: int, tiny_path: Path) -> None:
    command = (
        f"{shlex.quote(sys.executable)} -m fofe {arguments.replace('MODEL', shlex.quote(str(tiny_path)))}"
    )
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_messages_do_not_mix_with_results_where_standard_error_is_closed(tiny_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m fofe tag -m {shlex.quote(str(tiny_path))}"
    ask = f"printf 'Anna\\n\\377\\n' | {command} -f jsonl 2>&-"
    result = subprocess.run(["sh", "-c", ask], capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert [json.loads(line)["text"] for line in result.stdout.splitlines()] == ["Anna"]


def test_help_needs_no_numpy() -> None:
    code = "import sys; from fofe.cli import make_parser as make; make(); print('numpy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "False\n"


def test_tagging_needs_no_torch(tiny_path: Path) -> None:
    code = f"""
import sys
import fofe
sys.modules["torch"] = None
print([mention.text for mention in fofe.load({str(tiny_path)!r})("In Lima it rained all day.").mentions])
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "['Lima']\n"


def test_training_without_torch_says_what_to_install(tiny_config: Path, tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from fofe.cli import main; sys.exit(main(sys.argv[1:]))"
    arguments = ["train", str(tiny_config), "-o", str(tmp_path / "run")]
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr == "fofe: training needs PyTorch (pip install 'fofe[train]')\n"


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        ("evaluate notes.txt notes.txt", "doccano, by --format)"),
        ("corpus convert notes.txt out.jsonl", "doccano, by --from or --to)"),
        ("corpus convert a.jsonl -", "doccano, by --from or --to)"),
        ("fuse notes.txt notes.txt -o out.jsonl", "doccano)"),
        ("train --train notes.txt -o run", "doccano, by --set data.format=F)"),
        ("suggest a.jsonl -m MODEL -o b.jsonl --done s.json", "label-studio, by --done-format or --input)"),
        ("tag s.json -m MODEL --strict", "label-studio, by --input)"),
    ],
)
def test_errors_name_the_options_of_the_command_for_formats(
    command: str,
    ending: str,
    tiny_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes.txt").write_text("Anna left.\n", "utf-8")
    Path("a.jsonl").write_text('{"text": "Anna left."}\n', "utf-8")
    Path("s.json").write_text('[{"data": {"text": "Anna left."}}]\n', "utf-8")
    assert main(command.replace("MODEL", str(tiny_path)).split()) == 2
    assert capsys.readouterr().err.endswith(f"{ending}\n")


@pytest.mark.parametrize(
    "command",
    [
        "corpus wiki in -o in",
        "corpus wiki other --types in -o in",
        "corpus wiki other --mapping in -o in",
        "gazetteer build --titles other --mapping in -o in",
        "kbp tag -m eng=MODEL folder -o folder/source.xml",
        "kbp tag -m eng=MODEL folder --kb in -o in",
        "kbp convert folder --gold in -o in",
        "kbp convert folder --corpus in -o in",
    ],
)
def test_what_a_command_reads_is_not_written_over(
    command: str,
    tiny_path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    files = [Path("in"), Path("other"), Path("folder/source.xml")]
    for file in files:
        file.write_text("<doc>Anna left.</doc>\n", "utf-8")
    assert main(command.replace("MODEL", str(tiny_path)).split()) == 2
    assert (
        capsys.readouterr().err == f"fofe: {command.split()[-1]}: is the input itself (choose another name)\n"
    )
    assert {file.read_text("utf-8") for file in files} == {"<doc>Anna left.</doc>\n"}
