from __future__ import annotations

import mwparserfromhell
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.report import Report
from fofe.wiki.languages import wiki_language
from fofe.wiki.markup import UNBALANCED, Markup, parse

NAMESPACES = frozenset({"wikipedia", "file", "category", "talk"})


def parsed(source: str, language: str = "en", report: Report | None = None) -> Markup:
    return parse(
        source,
        wiki_language(language),
        Report() if report is None else report,
        namespaces=NAMESPACES,
        place="page",
    )


def linked(markup: Markup) -> list[tuple[str, str]]:
    return [(markup.text[link.start : link.end], link.target) for link in markup.links]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'''Oslo''' is ''old''.", "Oslo is old."),
        ("Oslo{{citation needed|date=May}} is old.", "Oslo is old."),
        ("Oslo {{a|{{b|{{c}}}}|d}} is old.", "Oslo is old."),
        ("Oslo ({{IPA|no}}; born 1900) is old.", "Oslo (born 1900) is old."),
        ("Oslo ({{IPA|no}}) is old.", "Oslo is old."),
        ("One<ref>not [[this]]</ref> two<ref name=a /> three.", "One two three."),
        ("One<ref>{{cite|a<b>c</b>}}</ref> two.", "One two."),
        ("One <!-- not\nthis -->two.", "One two."),
        ("1 &lt; 2&nbsp;m", "1 < 2 m"),
        ("A <nowiki>[[b]]</nowiki> c.", "A [[b]] c."),
        ("Text.\n{| class=x\n| [[cell]]\n{|\n| inner\n|}\n|}\nMore.", "Text.\nMore."),
        ("== Life ==\nText.\n* item [[a]]\n# item\n: indented\n; term\nMore.", "Text.\nMore."),
        ("See [http://a.b/c its site] and [http://a.b].", "See its site and."),
        ("Text.[[File:a.jpg|thumb|A [[caption]] here]] More.", "Text. More."),
        ("Text.\n[[Category:Cities]]\n[[fr:Oslo]]", "Text."),
        (
            "From 1900{{ndash}}1910, {{nowrap|ten years}}, ''{{lang|fr|a [[b]]}}''.",
            "From 1900–1910, ten years, a b.",
        ),
        ("__NOTOC__Text<br/>more.", "Text more."),
        ("A | b", "A | b"),
    ],
)
def test_only_paragraphs_stay(source: str, text: str) -> None:
    assert parsed(source).text.strip() == text


@pytest.mark.parametrize(
    ("source", "links"),
    [
        ("In [[Oslo]].", [("Oslo", "Oslo")]),
        ("In [[Oslo_(city)|the ''old'' Oslo]].", [("the old Oslo", "Oslo (city)")]),
        ("Two [[king]]s of [[Norway]]'s.", [("kings", "king"), ("Norway", "Norway")]),
        (
            "[[:Category:X|x]], [[Wikipedia:Y|y]], [[wikt:z|z]], [[Star Trek: X]]",
            [("Star Trek: X", "Star Trek: X")],
        ),
        ("[[a|b|c]] [[|d]] [[e|]]", [("b|c", "a")]),
        ("[[outer [[inner]] rest]]", [("inner", "inner")]),
        ("a[[ b ]]c", [("b", "b")]),
        ("{{x|[[hidden]]}} [[{{y}}z]]", [("z", "z")]),
        ("(;) [[a]] (  ) [[b]]\n* [[c]]\n [[d]]", [("a", "a"), ("b", "b"), ("d", "d")]),
    ],
)
def test_links_have_the_span_of_their_text(source: str, links: list[tuple[str, str]]) -> None:
    assert linked(parsed(source)) == links


def test_a_page_has_its_templates_and_categories() -> None:
    markup = parsed("{{Infobox_city|name={{inner}}}}\n{{Use dates}}\nText.\n[[Category:Cities|Oslo]]")
    assert markup.templates == ["Infobox city", "Use dates"]
    assert markup.categories == ["Cities"]


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("Text {{open and [[more]].", "template", "Text open and more."),
        ("Text [[open and [[more]].", "link", "Text open and more."),
        ("Text.\n{| open\nmore [[x]].", "table", "Text.\n open\nmore x."),
    ],
)
def test_what_is_never_closed_is_read_as_text_and_counted(source: str, kind: str, text: str) -> None:
    report = Report()
    markup = parsed(source, report=report)
    assert markup.text == text.replace("\n ", "\n")
    assert len(markup.links) == 1
    assert report.counts == {UNBALANCED[kind]: 1}
    assert report.places[UNBALANCED[kind]] == ["page"]


def test_what_is_closed_but_never_opened_disappears() -> None:
    assert parsed("A}} b]] c |} d] e").text == "A b c |} d] e"


def test_spanish_and_chinese_names_and_link_trails() -> None:
    spanish = parsed("[[Archivo:a.jpg|thumb]]Los [[inca]]ñás.\n[[Categoría:Pueblos]]", "es")
    assert spanish.text.strip() == "Los incañás."
    assert spanish.categories == ["Pueblos"]
    assert linked(spanish) == [("incañás", "inca")]
    chinese = parsed(
        "[[檔案:a.jpg|縮圖]]他住在[[北京]]城，-{zh-hans:计算机; zh-hant:電腦}-。\n[[分類:人]]", "zh"
    )
    assert chinese.text.strip() == "他住在北京城，计算机。"
    assert chinese.categories == ["人"]
    assert linked(chinese) == [("北京", "北京")]


PIECES = [
    "{{",
    "}}",
    "[[",
    "]]",
    "{|",
    "\n|}",
    "|",
    "\n",
    "<ref>",
    "</ref>",
    "''",
    "a",
    "Oslo ",
    "[http://x",
    "]",
    "* ",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_any_markup_gives_links_inside_the_text(source: str) -> None:
    markup = parsed(source)
    for link in markup.links:
        text = markup.text[link.start : link.end]
        assert text == text.strip() != ""
        assert 0 <= link.start < link.end <= len(markup.text)
    assert all(
        before.end <= after.start for before, after in zip(markup.links, markup.links[1:], strict=False)
    )


WORDS = st.text("abÉ中 ", min_size=1, max_size=6).filter(str.strip)
NODES = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        st.tuples(WORDS, inner).map(lambda parts: f"{{{{{parts[0].strip()}|{parts[1]}}}}}"),
        st.lists(inner, max_size=3).map("".join),
        inner.map(lambda content: f"<ref>{content}</ref>"),
    ),
    max_leaves=8,
)
LINKS = st.tuples(WORDS, st.none() | WORDS).map(
    lambda parts: f"[[{parts[0]}]]." if parts[1] is None else f"[[{parts[0]}|{parts[1]}]]."
)


@given(st.lists(NODES | LINKS, max_size=8))
def test_links_are_those_of_a_general_parser(parts: list[str]) -> None:
    source = "x" + "".join(parts)
    tree = mwparserfromhell.parse(source, skip_style_tags=True)
    expected = [
        (
            " ".join(str(link.text if link.text is not None else link.title).split()),
            " ".join(str(link.title).split()),
        )
        for link in tree.filter_wikilinks(recursive=False)
    ]
    assert [(" ".join(text.split()), target) for text, target in linked(parsed(source))] == expected
