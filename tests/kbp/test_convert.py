"""Documents and gold mentions into training data and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.base.report import Report
from fofe.cli import main
from fofe.formats import jsonl
from fofe.kbp.convert import to_gold, to_training
from fofe.kbp.source import Reading, SourceDocument, read_sources
from fofe.kbp.tab import TabMention, write_tab
from fofe.text.align import align

from .conftest import BODY, FORUM, NEWSWIRE

Layout = Callable[[int, list[str]], str]

WORDS = (
    *(
        "Anna",
        "Berg",
        "met",
        "the",
        "mayor",
        "AT&amp;T",
        "&lt;3",
        "<3",
        "a<b",
        "e\u0301te\u0301",
        "👩🏽\u200d🚀",
    ),
    *(
        "北京大学",
        "市长",
        "。",
        "😀",
        "&#20013;&#22269;",
        "<b>Li</b>",
        '<a href="x">Wei</a>',
        "¿Qué?",
        "U.S.",
    ),
)


def newswire(number: int, blocks: list[str]) -> str:
    paragraphs = "\n".join(f"<P>\n{block}\n</P>" for block in blocks[1:])
    return (
        f'<DOC id="ENG_NW_{number}" type="story">\n<HEADLINE>\n{blocks[0]}\n</HEADLINE>\n<DATELINE>\nOSLO\n'
        f"</DATELINE>\n<TEXT>\n{paragraphs}\n</TEXT>\n</DOC>\n"
    )


def forum(number: int, blocks: list[str]) -> str:
    posts = "".join(
        f'<post author=\'An&quot;na {place} 😀\' id="p{place}">\n<quote orig_author="x">{blocks[0]}</quote>\n'
        f"{block}</post>\n"
        for place, block in enumerate(blocks)
    )
    head = f'<?xml version="1.0"?>\n<doc id="CMN_DF_{number}">\n<headline>{blocks[0]}</headline>\n'
    return f"{head}{posts}</doc>\n"


def body(number: int, blocks: list[str]) -> str:
    text = "\n<P>".join(blocks)
    return (
        f"<DOC>\n<DOCID> spa-WL-{number} </DOCID>\n<DATETIME> 2007 </DATETIME>\n<BODY>\n<TEXT>\n<POST>\n"
        f"<POSTER> Omar </POSTER>\n{text}\n</POST></TEXT></BODY></DOC>"
    )


BLOCK = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
LAYOUTS = st.tuples(st.sampled_from([newswire, forum, body]), st.lists(BLOCK, min_size=2, max_size=4))


def read(path: Path) -> SourceDocument:
    (document,) = read_sources(path, Reading(), Report())
    assert isinstance(document, SourceDocument)
    return document


def draw_gold(data: st.DataObject, document: SourceDocument) -> list[TabMention]:
    """Any spans at all - inside tokens, over tags, in attributes - and the authors."""
    size = len(document.text)
    starts = st.integers(0, size - 1)
    spans = data.draw(st.lists(st.tuples(starts, st.integers(1, 12)), max_size=6))
    cut = [(start, min(start + length, size)) for start, length in spans]
    return [
        TabMention(
            *(document.id, start, end, document.text[start:end]),
            data.draw(st.sampled_from(["PER", "GPE"])),
            data.draw(st.sampled_from(["NAM", "NOM"])),
            data.draw(st.sampled_from(["NIL7", "E0001"])),
            data.draw(st.sampled_from([1.0, 0.25])),
            "gold",
            f"m{number}",
        )
        for number, (start, end) in enumerate([*cut, *document.authors])
    ]


@given(LAYOUTS, st.data())
def test_gold_survives_training_data(
    tmp_path_factory: pytest.TempPathFactory, layout: tuple[Layout, list[str]], data: st.DataObject
) -> None:
    write, blocks = layout
    path = tmp_path_factory.getbasetemp() / "round-trip.xml"
    path.write_text(write(1, blocks), encoding="utf-8", newline="")
    document = read(path)
    gold = draw_gold(data, document)
    line = jsonl.format_line(to_training(document, gold, Report()), Report(), "d")
    again = to_gold(jsonl.parse_line(line, "train.jsonl", 1, Report()), document)
    assert sorted(row.line() for row in again) == sorted(row.line() for row in gold)


def test_a_whole_directory_there_and_back(folder: Path) -> None:
    gold = [
        *(mention(BODY, "Lima", "eng-WL-11-1", "GPE"), mention(BODY, "Grace Otieno", "eng-WL-11-1")),
        *(mention(NEWSWIRE, "Anna Berg", "ENG_NW_1"), mention(NEWSWIRE, "mayor", "ENG_NW_1", kind="NOM")),
    ]
    assert convert(folder, gold) == 0
    arguments = ["--corpus", str(folder / "train.jsonl"), "-o", str(folder / "again.tab")]
    assert main(["kbp", "convert", *map(str, sorted(folder.glob("*.xml"))), *arguments]) == 0
    again = (folder / "again.tab").read_text("utf-8")
    assert sorted(again.splitlines()) == sorted(row.line().rstrip("\n") for row in gold)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("nw.xml", NEWSWIRE), ("df.xml", FORUM), ("wl.xml", BODY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def mention(text: str, string: str, document: str, type: str = "PER", kind: str = "NAM") -> TabMention:
    start = text.index(string)
    return TabMention(
        document, start, start + len(string), string, type, kind, "NIL1", 1.0, "gold", f"{start}"
    )


def convert(folder: Path, gold: list[TabMention], *more: str) -> int:
    write_tab(gold, folder / "gold.tab")
    docs = [str(path) for path in sorted(folder.glob("*.xml"))]
    gold_path, training = str(folder / "gold.tab"), str(folder / "train.jsonl")
    return main(["kbp", "convert", *docs, "--gold", gold_path, "-o", training, *more])


def test_training_data_has_the_text_that_a_reader_sees(folder: Path) -> None:
    source = read(folder / "nw.xml")
    gold = [mention(NEWSWIRE, "Anna Berg", "ENG_NW_1"), mention(NEWSWIRE, "AT&amp;T", "ENG_NW_1", "ORG")]
    report = Report()
    document = to_training(source, gold, report)
    assert not report
    assert [(found.text, found.label) for found in document.mentions] == [
        ("Anna Berg", "PER"),
        ("AT&T", "ORG"),
    ]
    assert document.meta["language"] == "eng"
    assert "AT&T" in [token.text for token in document.tokens]
    assert to_gold(document, source) == sorted(gold, key=lambda row: row.start)


def test_what_divides_a_character_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inside = NEWSWIRE.index("&amp;T")
    gold = TabMention("ENG_NW_1", inside + 1, inside + 5, "amp;", "ORG")
    assert convert(folder, [gold, mention(NEWSWIRE, "Anna Berg", "ENG_NW_1")]) == 0
    errors = capsys.readouterr().err
    assert f"1 mention outside the text, or with a part of a character (first: {gold.place})" in errors
    assert "1 of 2 gold mentions kept (50.00 %)" in errors


def test_a_mention_that_divides_a_token_gets_its_own(folder: Path) -> None:
    start = NEWSWIRE.index("Bergen.")
    gold = [TabMention("ENG_NW_1", start + 1, start + 4, "erg", "PER")]
    assert convert(folder, gold) == 0
    document = next(one for one in jsonl.read(folder / "train.jsonl", Report()) if one.id == "ENG_NW_1")
    aligned, rest = align(document)
    assert not rest
    assert [document.sentences[span.sentence].words[span.start : span.end] for span, _ in aligned] == [
        ["erg"]
    ]
    assert [token.text for token in document.tokens if token.end > aligned[0][1].start - 2][:4] == [
        *("B", "erg", "en", "."),
    ]


def test_a_wrong_offset_costs_its_mention_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = TabMention("ENG_NW_1", 100, 109, "Anna Berg", "PER")
    right = mention(NEWSWIRE, "Anna Berg", "ENG_NW_1")
    assert convert(folder, [wrong, right]) == 0
    errors = capsys.readouterr().err
    assert "1 mention left out for a string that is not that of the document (first: ENG_NW_1:100-" in errors
    assert "but 'Anna Berg' in the mention" in errors
    assert "1 of 2 gold mentions kept (50.00 %)" in errors
    assert (folder / "train.jsonl").read_text("utf-8").count('"text": "Anna Berg"') == 1


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("Anna\nBerg", "Anna Berg"),
        ("Anna \u00a0 Berg", "Anna Berg"),
        ("Al-\nQaeda", "Al-Qaeda"),
        ("AT&amp;T", "AT&T"),
        ("AT&amp;T", "AT&amp;T"),
        ("Anna &quot;A&quot;\n Berg", 'Anna "A" Berg'),
        ("中国\n北京", "中国 北京"),
    ],
)
def test_strings_as_ldc_writes_them(
    source: str, written: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f'<doc id="d">\n{source} 😀 was here.\n</doc>'
    (folder / "d.xml").write_text(text, encoding="utf-8")
    start = text.index(source)
    gold = TabMention("d", start, start + len(source), written, "PER")
    assert convert(folder, [gold]) == 0
    assert "1 of 1 gold mentions kept (100.00 %)" in capsys.readouterr().err
    assert main(["kbp", "check", str(folder / "gold.tab"), str(folder / "d.xml")]) == 0


def test_one_language_can_be_chosen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "es.xml").write_text('<doc id="SPA_1">Hola</doc>', encoding="utf-8")
    assert convert(folder, [], "--lang", "es") == 0
    assert "3 documents in another language left out" in capsys.readouterr().err
    assert (folder / "train.jsonl").read_text("utf-8").count("\n") == 1


def test_predictions_without_ids_are_numbered(folder: Path) -> None:
    training = folder / "predicted.jsonl"
    training.write_text(
        '{"id": "d", "text": "Anna A&B met Anna",'
        ' "mentions": [[0, 4, "PER"], [13, 17, "PER"], [5, 8, "ORG"]]}\n',
        encoding="utf-8",
    )
    (folder / "d.sgm").write_text('<doc id="d">Anna A&amp;B met Anna</doc>', encoding="utf-8")
    output = folder / "out.tab"
    arguments = [str(folder / "d.sgm"), "--corpus", str(training), "-o", str(output), "--run-id", "me"]
    assert main(["kbp", "convert", *arguments]) == 0
    assert output.read_text("utf-8").splitlines() == [
        "me\tme_000001\tAnna\td:12-15\tNIL000001\tPER\tNAM\t1.0",
        "me\tme_000002\tA&amp;B\td:17-23\tNIL000002\tORG\tNAM\t1.0",
        "me\tme_000003\tAnna\td:29-32\tNIL000001\tPER\tNAM\t1.0",
    ]


def test_another_text_is_refused(folder: Path) -> None:
    source = read(folder / "df.xml")
    document = to_training(source, [], Report())
    document.text = document.text.replace("Leeds", "Lima")
    with pytest.raises(InputError, match="ENG_DF_1 is not the text of its source: from character 14 on 'ima"):
        to_gold(document, source)


@pytest.mark.parametrize(
    "kept",
    [
        {"mentions": 3},
        [[0, 4]],
        [{"start": 0, "end": 4}],
        [
            {"start": "0", "end": 4, "type": "PER", "kind": "NAM"}
            | {"kb": "", "score": 1.0, "run": "", "id": ""}
        ],
    ],
)
def test_metadata_that_was_edited_is_told(kept: object, folder: Path) -> None:
    source = read(folder / "df.xml")
    document = to_training(source, [], Report())
    document.meta["kbp"] = kept
    with pytest.raises(InputError, match="in its metadata is not as it was written"):
        to_gold(document, source)
