"""Source documents made up for the tests, in the three layouts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

from fofe.base.report import Report
from fofe.kbp.source import Reading, SourceDocument, read_sources

NEWSWIRE = """\
<DOC id="ENG_NW_1" type="story">
<HEADLINE>
Mayor of Bergen meets AT&amp;T
</HEADLINE>
<DATELINE>
BERGEN, Norway
</DATELINE>
<TEXT>
<P>
Anna Berg met the mayor of Bergen.
</P>
<P>
It rained all day.
</P>
</TEXT>
</DOC>
"""

FORUM = """\
<?xml version="1.0" encoding="utf-8"?>
<doc id="ENG_DF_1">
<headline>
Who lives in Leeds?
</headline>
<post author="Omar Haddad" datetime="2014-05-06T00:00:00" id="p1">
I live in Leeds <3
</post>
<post author="anna_b" datetime="2014-05-07T00:00:00" id="p2">
<quote orig_author="Omar Haddad">
I live in Leeds <3
</quote>
So does Li Wei.
</post>
</doc>
"""

BODY = """\
<DOC>
<DOCID> eng-WL-11-1 </DOCID>
<DOCTYPE SOURCE="web"> WEB TEXT </DOCTYPE>
<DATETIME> 2007-02-03 </DATETIME>
<BODY>
<HEADLINE>
In Lima it rained
</HEADLINE>
<TEXT>
<POST>
<POSTER> Grace Otieno </POSTER>
<POSTDATE> 2007-02-03 </POSTDATE>
In Lima it rained all day.
</POST>
</TEXT>
</BODY>
</DOC>
"""


def as_ltf(raw: str, id: str, language: str = "eng", *, md5: str | None = None) -> str:
    """A raw text as LDC ships it: a segment for each line, a token for each run of other than spaces."""
    segments: list[str] = []
    for line in re.finditer(r"[^\n]+", raw):
        tokens = "".join(
            f'<TOKEN id="t" pos="word" morph="none" start_char="{line.start() + one.start()}" '
            f'end_char="{line.start() + one.end() - 1}">{escape(one[0])}</TOKEN>\n'
            for one in re.finditer(r"\S+", line[0])
        )
        segments.append(
            f'<SEG id="segment-{len(segments)}" start_char="{line.start()}" end_char="{line.end() - 1}">\n'
            f"<ORIGINAL_TEXT>{escape(line[0])}</ORIGINAL_TEXT>\n{tokens}</SEG>\n"
        )
    digest = hashlib.md5(raw.encode()).hexdigest() if md5 is None else md5
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE LCTL_TEXT SYSTEM "ltf.v1.5.dtd">\n'
        f'<LCTL_TEXT lang="{language}">\n<DOC id="{id}" tokenization="none" grammar="none" '
        f'raw_text_char_length="{len(raw)}" raw_text_md5="{digest}">\n<TEXT>\n{"".join(segments)}'
        "</TEXT>\n</DOC>\n</LCTL_TEXT>\n"
    )


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., SourceDocument]:
    """Reads one document from a text and fails if there is not exactly one."""

    def read(
        text: str, name: str = "doc.xml", report: Report | None = None, **options: bool
    ) -> SourceDocument:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        (document,) = read_sources(path, Reading(**options), Report() if report is None else report)
        if isinstance(document, Exception):
            raise document
        return document

    return read
