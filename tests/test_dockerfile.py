"""The Dockerfile, which is not built here: what it copies exists, and what it runs is accepted."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from fofe.cli import make_parser

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def copied() -> list[str]:
    """The paths that are copied from the repository."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE, re.M)
    return [path for line in lines for path in line.split()[:-1]]


def test_every_copied_path_exists_and_is_let_through() -> None:
    let_through = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert copied()
    for path in copied():
        assert (ROOT / path).exists(), path
        assert f"!{path}" in let_through, path


def test_what_the_build_needs_is_copied() -> None:
    table = (ROOT / "pyproject.toml").read_text("utf-8")
    for path in re.findall(r'^(?:readme|path) = "([\w./]+)"|^license-files = \["(\w+)"\]', table, re.M):
        needed = path[0] or path[1]
        assert any(needed == one or needed.startswith(f"{one}/") for one in copied()), needed
    extra = re.search(r"'\.\[(\w+)\]'", DOCKERFILE)
    assert extra is not None
    assert re.search(rf"^{extra[1]} = ", table, re.M)


def test_what_it_runs_is_accepted_and_its_port_is_open() -> None:
    arguments = json.loads(re.findall(r"^CMD (.+)$", DOCKERFILE, re.M)[-1])
    parsed = make_parser().parse_args(arguments)
    assert f"EXPOSE {parsed.port}\n" in DOCKERFILE
    assert f":{parsed.port}/health" in DOCKERFILE


def test_it_does_not_run_as_root() -> None:
    final = DOCKERFILE.rsplit("FROM ", 1)[1]
    assert re.search(r"^USER (?!root)", final, re.M)


def test_the_linter_agrees() -> None:
    hadolint = shutil.which("hadolint", path=sysconfig.get_path("scripts")) or shutil.which("hadolint")
    if hadolint is None:
        pytest.skip("the Dockerfile is checked by hadolint, which is not installed")
    done = subprocess.run([hadolint, str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
