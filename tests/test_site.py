"""The documentation builds as a site, and its reference has what the docstrings say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fofe

ROOT = Path(__file__).resolve().parent.parent
HOMES = {
    "FofeError": "fofe.base.errors",
    "Model": "fofe.tagging.model",
    "load": "fofe.tagging.model",
    "train": "fofe",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is built with fofe[docs]")
    pytest.importorskip("mkdocstrings", reason="the site is built with fofe[docs]")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            sys.executable,
            "-W",
            "ignore",
            "-m",
            "mkdocs",
            "build",
            "--quiet",
            "--strict",
            "--site-dir",
            str(folder),
        ],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_reference_has_every_public_name(site: Path) -> None:
    page = (site / "reference" / "docstrings.html").read_text("utf-8")
    for name in fofe.__all__:
        if name != "__version__":
            assert f'id="{HOMES.get(name, "fofe.text.document")}.{name}"' in page, name
    for member in dir(fofe.Model):
        if not member.startswith("_"):
            assert f'id="fofe.tagging.model.Model.{member}"' in page, member
    assert "the least score of a mention" in page


def test_every_page_is_built_and_loads_nothing_from_elsewhere(site: Path) -> None:
    for source in ROOT.glob("docs/**/*.md"):
        page = (site / source.relative_to(ROOT / "docs")).with_suffix(".html")
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)"', page.read_text("utf-8")
        )
        assert not loaded, f"{source}: {loaded}"
