"""Small dumps for tests."""

from __future__ import annotations

import bz2
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest

HEAD = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" xml:lang="{language}">
  <siteinfo><namespaces>
    <namespace key="0" case="first-letter" />
    <namespace key="6" case="first-letter">{file}</namespace>
    <namespace key="14" case="first-letter">{category}</namespace>
    <namespace key="4" case="first-letter">Wikipedia</namespace>
  </namespaces></siteinfo>
"""
NAMES = {"en": ("File", "Category"), "es": ("Archivo", "Categoría"), "zh": ("File", "Category")}


class Dumps:
    """Makes dumps of a directory's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def page(self, title: str, markup: str = "", *, redirect: str | None = None, namespace: int = 0) -> str:
        lead = "" if redirect is None else f"<redirect title={quoteattr(redirect)} />"
        return (
            f"<page><title>{escape(title)}</title><ns>{namespace}</ns><id>1</id>{lead}"
            f'<revision><text xml:space="preserve">{escape(markup)}</text></revision></page>\n'
        )

    def xml(self, *pages: str, language: str = "en") -> str:
        file, category = NAMES[language]
        head = HEAD.format(language=language, file=file, category=category)
        return head + "".join(pages) + "</mediawiki>\n"

    def write(self, *pages: str, name: str = "wiki.xml", language: str = "en") -> Path:
        path = self.folder / name
        data = self.xml(*pages, language=language).encode()
        path.write_bytes(bz2.compress(data) if path.suffix == ".bz2" else data)
        return path


@pytest.fixture
def dumps(tmp_path: Path) -> Dumps:
    return Dumps(tmp_path)
