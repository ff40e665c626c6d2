from __future__ import annotations

import bz2
import gzip
import lzma
import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.wiki.dump import TRUNCATED, read_pages, read_site

if TYPE_CHECKING:
    from tests.wiki.conftest import Dumps


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("", bytes), (".bz2", bz2.compress), (".gz", gzip.compress), (".xz", lzma.compress)],
)
def test_reads_plain_and_packed_dumps(dumps: Dumps, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = dumps.folder / f"wiki.xml{suffix}"
    path.write_bytes(
        pack(dumps.xml(dumps.page("A & B", "'''A''' <b>"), dumps.page("C", "", redirect="A & B")).encode())
    )
    report = Report()
    pages = [(page.title, page.markup, page.redirect) for page in read_pages(path, report)]
    assert pages == [("A & B", "'''A''' <b>", None), ("C", "", "A & B")]
    assert not report


def test_the_head_states_language_and_namespaces(dumps: Dumps) -> None:
    site = read_site(dumps.write(dumps.page("A", "text"), language="es"))
    assert site.language == "es"
    assert site.namespaces == {"archivo", "categoría", "wikipedia"}


@pytest.mark.parametrize(
    "markup",
    [
        "#REDIRECT [[Target]]",
        "#redirección [[Target]]\n{{R}}",
        "#重定向 [[Target]]",
        " # Redirect: [[Target]]",
    ],
)
def test_a_redirect_is_known_by_its_text_too(dumps: Dumps, markup: str) -> None:
    (page,) = read_pages(dumps.write(dumps.page("A", markup)), Report())
    assert page.redirect == "Target"


def test_a_truncated_dump_gives_the_pages_before_the_cut_and_says_so(dumps: Dumps) -> None:
    draw = random.Random(0)
    # Noise, so that there are many blocks of bz2: one that is not complete cannot be unpacked.
    pages = [dumps.page(f"Page {number}", draw.randbytes(60_000).hex()) for number in range(20)]
    whole = dumps.write(*pages, name="whole.xml.bz2")
    cut = dumps.folder / "cut.xml.bz2"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    report = Report()
    titles = [page.title for page in read_pages(cut, report)]
    assert titles == [f"Page {number}" for number in range(len(titles))]
    assert 2 < len(titles) < 20
    assert report.counts == {TRUNCATED: 1}
    assert str(cut) in report.places[TRUNCATED][0]


def test_broken_xml_gives_the_pages_before_it(dumps: Dumps) -> None:
    path = dumps.folder / "wiki.xml"
    path.write_text(
        dumps.xml(dumps.page("A", "one"), "<page><title>B</tilte></page>", dumps.page("C", "two")), "utf-8"
    )
    report = Report()
    assert [page.title for page in read_pages(path, report)] == ["A"]
    assert report.counts == {TRUNCATED: 1}


@pytest.mark.parametrize(
    ("content", "problem"), [("<html></html>", "<html>"), ("", "is not XML"), ("hello", "is not XML")]
)
def test_what_is_no_dump_is_refused(dumps: Dumps, content: str, problem: str) -> None:
    path = dumps.folder / "wiki.xml"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_pages(path, Report()))


def test_a_missing_dump_is_named(dumps: Dumps) -> None:
    with pytest.raises(InputError, match=r"nowhere\.xml"):
        list(read_pages(dumps.folder / "nowhere.xml", Report()))
