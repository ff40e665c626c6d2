"""The documentation is true: commands print what the pages show, snippets run, links lead somewhere.

In a `console` block each line that begins with `$ ` is a command; it may continue after a backslash. The
lines below it, if any, are compared with what the command prints, except for timings, dates and versions.
`python` blocks are run too. All blocks of a page run in order in a directory of its own, beside `examples/`,
`configs/` and the trained `runs/tiny/model`. A block right under a comment `<!-- not run: reason -->` is
skipped; a block under `<!-- needs the model en -->` is skipped if that model is not installed.

`REFRESH_DOCS=1 pytest tests/test_docs.py` replaces the output that the pages show.

A plain `fofe` command runs in this process, which need not start Python and load torch again; one with a
pipe, a redirection or anything else of the shell runs in bash.

Trained models differ slightly between kinds of processor, even with the same instructions (`conftest.py`).
Where the small model is not the one that the tutorial shows, figures are compared roughly.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import typing
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import fofe
from fofe.cli import main, make_parser
from fofe.features.config import GazetteerConfig, ViewConfig
from fofe.tagging.installed import installed_models
from fofe.training.config import CorpusConfig, DataConfig, RunConfig, load_config

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
TRAIN = "fofe train examples/tiny.toml -o runs/tiny"
REFRESH = bool(os.environ.get("REFRESH_DOCS"))
HANGING = 3600
"""Seconds after which a command counts as hanging; a slow machine takes far less."""

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^\n]+ -->\n)?(?:<!-- needs the model (?P<model>\w+) -->\n)?"
    r"^```(?P<kind>\w*)\n(?P<body>.*?)^```$",
    re.M | re.S,
)
PLAIN = re.compile(r"fofe [^|<>&;$`*]*")
"""A command that means the same without a shell."""
COMMAND = re.compile(r"^\$ (?P<command>(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)", re.M)
DATE_OR_VERSION = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d+\.\d+\.\d+\w*\b")
TIMING = re.compile(r".*\b(?:seconds?|minutes?|ms)\b.*")
FIGURE = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.])")
ROUGHLY, LEAST = 0.5, 10.0
"""By how much figures may differ, as a share of the larger one, and at least."""
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run_blocks(page: Path, *kinds: str) -> Iterator[re.Match[str]]:
    return (
        block for block in BLOCK.finditer(page.read_text("utf-8")) if block["kind"] in kinds and is_run(block)
    )


def is_run(block: re.Match[str]) -> bool:
    return not block["skip"] and (block["model"] is None or block["model"] in installed_models())


def run(command: str, folder: Path) -> str:
    """What a command prints, errors included; it must succeed."""
    code, output = (run_here if PLAIN.fullmatch(command) else run_in_shell)(command, folder)
    assert code == 0, f"$ {command}\n{output}"
    return output


def run_here(command: str, folder: Path) -> tuple[int, str]:
    """The exit code and the output of a `fofe` command, in this process."""
    words = shlex.split(command.replace("\\\n", " "))
    output = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(output):
        patch.chdir(folder)
        patch.setattr("sys.argv", words)
        code = main(words[1:])
    output.seek(0)
    return code, output.read()


def run_in_shell(command: str, folder: Path) -> tuple[int, str]:
    """The exit code and the output of a command of the shell."""
    path = os.pathsep.join(
        [sysconfig.get_path("scripts"), str(Path(sys.executable).parent), os.environ["PATH"]]
    )
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=HANGING,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with what the pages expect: the examples and the small model, trained as they describe."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("docs") / "trained"
    for name in ("examples", "configs"):
        shutil.copytree(ROOT / name, folder / name)
    run(TRAIN, folder)
    return folder


@pytest.fixture(scope="session")
def reproduced(trained: Path) -> bool:
    """Whether this processor trains the very model that the tutorial shows."""
    (scores,) = masked(run("fofe model inspect runs/tiny/model | grep '^dev '", trained))
    return scores in masked((ROOT / "docs" / "tutorial.md").read_text("utf-8"))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(run_blocks(page, "console", "python"))], ids=page_name
)
def test_commands_and_snippets_run(
    page: Path, trained: Path, reproduced: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "page"
    shutil.copytree(trained, folder)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    printed: list[str] = []
    for block in run_blocks(page, "console", "python"):
        if block["kind"] == "python":
            exec(compile(block["body"], page_name(page), "exec"), names)
            continue
        commands = list(COMMAND.finditer(block["body"]))
        assert commands, f"a console block without a command:\n{block['body']}"
        for found in commands:
            output = "" if found["command"] == TRAIN else run(found["command"], folder)
            printed.append(output)
            if found["shown"] and not REFRESH:
                assert_same(found["command"], found["shown"], output, exactly=reproduced)
    if REFRESH:
        page.write_text(refreshed(page.read_text("utf-8"), printed), "utf-8")


def assert_same(command: str, shown: str, output: str, *, exactly: bool) -> None:
    """Fail if a page shows other output than the command has printed, or only about the same figures."""
    expected, printed = masked(shown), masked(output)
    if not exactly and len(expected) == len(printed):
        expected = [
            there if about_same(here, there) else here for here, there in zip(expected, printed, strict=True)
        ]
    differences = difflib.unified_diff(expected, printed, "shown", "printed", lineterm="", n=1)
    difference = "\n".join(differences)
    assert not difference, (
        f"$ {command}\n{difference}\n(REFRESH_DOCS=1 pytest tests/test_docs.py shows it anew)"
    )


def about_same(shown: str, printed: str) -> bool:
    """Whether two lines differ in figures alone, each by no more than another processor makes it."""
    if FIGURE.sub("#", shown) != FIGURE.sub("#", printed):
        return False
    ours, theirs = ([float(figure) for figure in FIGURE.findall(line)] for line in (shown, printed))
    return all(
        abs(one - other) <= max(ROUGHLY * max(abs(one), abs(other)), LEAST)
        for one, other in zip(ours, theirs, strict=True)
    )


def masked(output: str) -> list[str]:
    """An output without what differs from run to run: timings, dates, versions, column widths."""
    text = DATE_OR_VERSION.sub("#", output)
    text = TIMING.sub(lambda line: re.sub(r"\d[\d,.]*", "#", line[0]), text)
    return [re.sub(r" {2,}", "  ", line).rstrip() for line in text.splitlines()]


def test_only_what_differs_from_run_to_run_is_masked() -> None:
    shown = "fofe 0.1.0, 2026-01-31\nF1   88.34\ntokens a CPU second  87,398  62957\n"
    assert masked(shown) == ["fofe #, #", "F1  88.34", "tokens a CPU second  #  #"]
    with pytest.raises(AssertionError, match=r"-F1  88.34\n *\+F1  88.35"):
        assert_same("fofe", shown, shown.replace("88.34", "88.35"), exactly=True)
    assert_same("fofe", shown, shown.replace("88.34", "88.35"), exactly=False)
    for other in ("F1   38.35", "P    88.34"):
        with pytest.raises(AssertionError, match=r"-F1  88.34\n"):
            assert_same("fofe", shown, shown.replace("F1   88.34", other), exactly=False)


def refreshed(text: str, printed: list[str]) -> str:
    """The page with what its commands have printed, where it shows output that differs."""
    outputs = iter(printed)

    def renew(found: re.Match[str]) -> str:
        output = next(outputs)
        kept = not found["shown"] or masked(found["shown"]) == masked(output)
        return found[0] if kept else f"$ {found['command']}\n{output}"

    def renew_block(block: re.Match[str]) -> str:
        if block["kind"] != "console" or not is_run(block):
            return block[0]
        return block[0].replace(block["body"], COMMAND.sub(renew, block["body"]))

    return BLOCK.sub(renew_block, text)


def test_refreshing_changes_only_what_is_shown() -> None:
    shown = "```console\n$ echo a \\\n    b\nold\n$ true\n```\ntext\n"
    page = shown + "<!-- not run: no -->\n```console\n$ c\nd\n```\n"
    assert refreshed(page, ["a b\n", "not shown\n"]) == page.replace("old", "a b")


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_configurations_are_accepted(page: Path, tmp_path: Path) -> None:
    for block in run_blocks(page, "toml"):
        config = tmp_path / "config.toml"
        has_corpus = re.search(r"^\[(data|\[corpus\])\]", block["body"], re.M)
        head = "" if has_corpus else '[data]\ntrain = ["train.jsonl"]\n\n'
        config.write_text(head + block["body"], "utf-8")
        load_config(config)


@pytest.mark.parametrize(
    "config", sorted([*ROOT.glob("configs/*.toml"), *ROOT.glob("examples/*.toml")]), ids=page_name
)
def test_shipped_configurations_are_accepted(config: Path) -> None:
    load_config(config)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as forges make them."""
    text = BLOCK.sub("", page.read_text("utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(BLOCK.sub("", page.read_text("utf-8"))):
        if re.match(r"\w+:", link["target"]):
            continue
        file, _, anchor = link["target"].partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), f"{page_name(page)} links to {link['target']}"
        if anchor:
            assert anchor in anchors(target), f"{page_name(page)} links to {link['target']}"


def test_every_page_is_reachable_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {
        (index.parent / link["target"].partition("#")[0]).resolve()
        for link in LINK.finditer(index.read_text("utf-8"))
    }
    assert set(ROOT.glob("docs/**/*.md")) - {index} <= linked


def sections(page: str) -> dict[str, str]:
    """The text under each second-level heading of a page."""
    parts = re.split(r"^## (.+)\n", (ROOT / page).read_text("utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def settings_tables() -> list[tuple[str, type]]:
    """The tables of a configuration and the classes that hold their keys."""
    parts = typing.get_type_hints(RunConfig)
    parts |= {"data": DataConfig, "corpus": CorpusConfig}
    brackets = {"corpus": "`[[corpus]]`"}
    tables = [(brackets.get(name, f"`[{name}]`"), cls) for name, cls in parts.items()]
    characters = typing.get_type_hints(parts["model"])["characters"]
    return [
        *tables,
        ("`[[model.views]]`", ViewConfig),
        ("`[model.characters]`", characters),
        ("`[model.gazetteer]`", GazetteerConfig),
    ]


@pytest.mark.parametrize(("heading", "cls"), settings_tables(), ids=lambda value: str(value))
def test_configuration_reference_has_every_key_and_its_default(heading: str, cls: type) -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (.+?) \| .+ \|$", sections("docs/reference/configuration.md")[heading], re.M
    )
    documented = dict(rows)
    fields = {field.name: field for field in dataclasses.fields(cls)}
    assert sorted(documented) == sorted(fields)
    for name, field in fields.items():
        if name in ("views", "characters"):
            continue
        if field.default_factory is dict:
            assert documented[name] == "`{}`", name
        elif field.default is dataclasses.MISSING:
            assert documented[name] == "required", name
        else:
            assert documented[name] == ("none" if field.default is None else f"`{toml(field.default)}`"), name


def commands(parser: argparse.ArgumentParser | None = None) -> dict[str, argparse.ArgumentParser]:
    """The parser of each command; one with actions counts as its actions: `gazetteer build`."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in (parser or make_parser())._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, of_command in action.choices.items():
                actions = commands(of_command)
                found |= {f"{name} {action}": inner for action, inner in actions.items()}
                if not actions:
                    found[name] = of_command
    return found


@pytest.mark.parametrize("name", commands())
def test_command_reference_has_every_option_and_no_other(name: str) -> None:
    reference = sections("docs/reference/cli.md")
    rows = [row for row in reference[f"fofe {name}"].splitlines() if row.startswith("| `")]
    if "#options-of-reading" in reference[f"fofe {name}"]:
        rows += [row for row in reference["Options of reading"].splitlines() if row.startswith("| `")]
    documented = {option for row in rows for option in re.findall(r"`(--?[a-z-]+)", row.split(" | ")[0])}
    accepted = {option for action in commands()[name]._actions for option in action.option_strings}
    assert documented == accepted - {"-h", "--help"}


def test_command_reference_has_no_other_command() -> None:
    documented = {heading for heading in sections("docs/reference/cli.md") if heading.startswith("fofe ")}
    assert documented == {f"fofe {name}" for name in commands()}


def test_command_reference_begins_with_every_command() -> None:
    reference = (ROOT / "docs/reference/cli.md").read_text("utf-8")
    named = re.findall(r"^\| `fofe (\w+)`", reference, re.M)
    assert named == list(dict.fromkeys(name.split()[0] for name in commands()))


def test_api_reference_has_every_public_name() -> None:
    reference = (ROOT / "docs/reference/api.md").read_text("utf-8")
    for name in fofe.__all__:
        assert f"### `fofe.{name}" in reference, name
    for member in vars(fofe.Model):
        if not member.startswith("_"):
            assert f"`model.{member}" in reference, member
    for cls in (fofe.Document, fofe.Mention):
        for field in dataclasses.fields(cls):
            assert f"`{field.name}`" in reference, field.name


def test_help_shows_examples_that_are_accepted() -> None:
    """Each example of `--help` is a command that the parser takes."""
    parser = make_parser()
    for of_command in [parser, *commands().values()]:
        assert of_command.epilog, of_command.prog
        for line in of_command.epilog.splitlines():
            command = re.split(r" {2,}\(| {2,}more| [>|] ", line.strip())[0]
            if command.startswith("fofe ") and "COMMAND" not in command:
                parser.parse_args(shlex.split(command)[1:])
