"""Releases made up in every layout of the track, to show that kbp.py reads them; nothing in them is LDC's.

Newswire and forums, as source files, as LTF and as both; gold mentions with eleven columns, across line
breaks, with entities, inside tokens, of authors, and one that is wrong; quote regions; file lists; READMEs.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from fofe.kbp.source import CHINESE, ENGLISH, SPANISH

NAMES = {
    ENGLISH: {
        "PER": ["Anna Berg", "Omar\nHaddad", "Grace Otieno", "Jan Novak"],
        "GPE": ["Leeds", "Lima", "New\n Bergen"],
        "ORG": ["AT&T", "the Port of Lima", "Berg 😀 Co"],
        "LOC": ["Lake Vik"],
        "FAC": ["Vik Bridge"],
    },
    CHINESE: {
        "PER": ["王小明", "李伟", "张芳"],
        "GPE": ["北京", "上海", "中国"],
        "ORG": ["北京大学", "新华社", "王😀公司"],
        "LOC": ["长江"],
        "FAC": ["长江大桥"],
    },
    SPANISH: {
        "PER": ["Ana Ruiz", "Luis\nPeña", "José García"],
        "GPE": ["Lima", "España", "Ávila"],
        "ORG": ["Correos & Cía", "Banco 😀 Sur"],
        "LOC": ["el Duero"],
        "FAC": ["Puente Nuevo"],
    },
}
PATTERNS = {
    ENGLISH: [
        "{PER} met the {mayor} of {GPE} near {FAC} .",
        "{ORG} opened an office on {LOC} in pro-{GPE} towns .",
    ],
    CHINESE: ["{PER}在{GPE}访问了{ORG}。", "{mayor}从{FAC}看{LOC}。"],
    SPANISH: ["{PER} visitó {ORG} en {GPE} .", "El {mayor} cruzó {FAC} sobre {LOC} ."],
}
MAYOR = {ENGLISH: "mayor", CHINESE: "市长", SPANISH: "alcalde"}

Gold = tuple[int, int, str, str]
"""A half-open span of the raw text, a type and a kind."""


class _Writer:
    """A raw text that grows, and the mentions in it."""

    def __init__(self) -> None:
        self.text = ""
        self.gold: list[Gold] = []

    def add(self, text: str) -> _Writer:
        self.text += text
        return self

    def mention(self, text: str, type: str, kind: str = "NAM") -> None:
        start = len(self.text)
        self.add(text)
        self.gold.append((start, len(self.text), type, kind))

    def sentence(self, code: str, chance: random.Random) -> None:
        for part in re.split(r"(\{\w+\})", chance.choice(PATTERNS[code])):
            if part == "{mayor}":
                self.mention(MAYOR[code], "PER", "NOM")
            elif part.startswith("{"):
                self.mention(escape(chance.choice(NAMES[code][part[1:-1]])), part[1:-1])
            else:
                self.add(part)
        self.add("\n")


def write_releases(folder: Path, documents: int = 12) -> tuple[Path, Path]:
    """A release of 2015, with training and evaluation data, and one of 2016."""
    chance = random.Random(1)
    train, test = folder / "LDC2015E00", folder / "LDC2016E00"
    for release, part, count in (
        (train, "2015_tedl_training", documents),
        (train, "2015_tedl_evaluation", documents // 3),
        (test, "2016_edl_evaluation", documents // 3),
    ):
        rows, quotes, ids = list[str](), list[str](), list[str]()
        for code in NAMES:
            for number in range(count):
                genre = ("NW", "DF")[number % 2]
                id = f"{code.upper()}_{genre}_{part[:6]}{part[10]}{number:04}"
                writer = _newswire(id, code, chance) if genre == "NW" else _forum(id, code, chance, quotes)
                _write_document(release / "data" / "source_docs" / code, id, writer.text, number)
                rows += list(_gold_rows(id, writer, len(rows)))
                ids.append(id)
        rows.append(f"LDC\tWRONG\tNobody\t{ids[0]}:0-5\tNIL9\tPER\tNAM\t1.0\tN\tN\tY")
        gold = release / "data" / f"tac_kbp_{part}_gold_standard_entity_mentions.tab"
        _write(gold, rows)
        _write(release / "data" / "source_docs" / f"{part}_quote_regions.tab", quotes)
        _write(release / "docs" / f"{part}_file_list.txt", [f"{id}.xml" for id in ids])
        _write(release / "README.txt", ["Made up."])
        _write(release / "dtd" / "ltf.v1.5.dtd", ["<!ELEMENT LCTL_TEXT (DOC+)>"])
    return train, test


def _newswire(id: str, code: str, chance: random.Random) -> _Writer:
    writer = _Writer().add(f'<DOC id="{id}">\n<DATE_TIME>\n2015-01-01\n</DATE_TIME>\n<HEADLINE>\n')
    writer.sentence(code, chance)
    writer.add("</HEADLINE>\n<TEXT>\n")
    for _ in range(4):
        writer.add("<P>\n").sentence(code, chance)
        writer.add("</P>\n")
    return writer.add("</TEXT>\n</DOC>\n")


def _forum(id: str, code: str, chance: random.Random, quotes: list[str]) -> _Writer:
    writer = _Writer().add(f'<doc id="{id}">\n<headline>\n')
    writer.sentence(code, chance)
    writer.add("</headline>\n")
    for number in range(3):
        writer.add('<post author="').mention(f"user 😀 {number}", "PER")
        writer.add(f'" id="p{number}">\n')
        if number:
            start = len(writer.text)
            writer.add('<quote orig_author="user">\nLima AT&amp;T\n</quote>\n')
            quotes.append(f"{id}\t{start}\t{len(writer.text) - 1}")
        writer.sentence(code, chance)
        writer.add("</post>\n")
    return writer.add("</doc>\n")


def _write_document(folder: Path, id: str, text: str, number: int) -> None:
    """As source, as LTF, or as both."""
    if number % 3 != 1:
        _write(folder / f"{id}.xml", [text.removesuffix("\n")])
    if number % 3 != 0:
        _write(folder / f"{id}.ltf.xml", list(_ltf(id, text)))


def _ltf(id: str, raw: str) -> Iterator[str]:
    digest = hashlib.md5(raw.encode(), usedforsecurity=False).hexdigest()
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE LCTL_TEXT SYSTEM "ltf.v1.5.dtd">\n<LCTL_TEXT>'
    yield f'<DOC id="{id}.xml" raw_text_char_length="{len(raw)}" raw_text_md5="{digest}">\n<TEXT>'
    for number, line in enumerate(re.finditer("[^\n]+", raw)):
        yield f'<SEG id="segment-{number}" start_char="{line.start()}" end_char="{line.end() - 1}">'
        yield f"<ORIGINAL_TEXT>{escape(line[0])}</ORIGINAL_TEXT>"
        for place, word in enumerate(re.finditer(r"\S+", line[0])):
            start, end = line.start() + word.start(), line.start() + word.end() - 1
            tag = f'<TOKEN id="token-{number}-{place}" pos="word" morph="none"'
            yield f'{tag} start_char="{start}" end_char="{end}">{escape(word[0])}</TOKEN>'
        yield "</SEG>"
    yield "</TEXT>\n</DOC>\n</LCTL_TEXT>"


def _gold_rows(id: str, writer: _Writer, before: int) -> Iterator[str]:
    """Lines as LDC writes them: white space normalised, three columns more."""
    for number, (start, end, type, kind) in enumerate(writer.gold, start=before):
        text = " ".join(writer.text[start:end].split())
        place = f"{id}:{start}-{end - 1}"
        yield f"LDC\tTEDL_{number:05}\t{text}\t{place}\tNIL{number:05}\t{type}\t{kind}\t1.0\tN\tN\tY"


def _write(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8", newline="\n")
