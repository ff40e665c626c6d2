r"""What the rules of languages are made of: token patterns, and sentence ends marked by `.!?`.

`re` knows no Unicode categories beyond `\w`, and `\w` leaves out combining marks: it would split decomposed
letters and most words of Indic scripts. The class of word characters is therefore computed from the Unicode
database, which takes some milliseconds.

Everything here must run in linear time on any input. A pattern may scan far ahead only if it then takes what
it has scanned; one that can scan and fail has a bound on its length.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from operator import itemgetter
from unicodedata import category

CLOSING = "\"'”’»«›)\\]}」』）》〉】"
"""Closing quotes and brackets, for use inside the brackets of a regular expression."""


@dataclass(frozen=True)
class Abbreviations:
    """Abbreviations, without their last dot, by what may follow them."""

    before_names: frozenset[str] = frozenset()
    """Titles and the like: more of the sentence follows, whatever it looks like."""
    before_numbers: frozenset[str] = frozenset()
    """Ordinary words that are abbreviations only before a number (No. 5)."""
    sometimes_last: frozenset[str] = frozenset()
    """The end of a sentence if one of the `openers` follows, like initials and U.S."""
    before_lower: frozenset[str] = frozenset()
    """Like any word, the end of a sentence unless a small letter follows."""
    openers: frozenset[str] = frozenset()
    """Capitalised words that open a sentence and are hardly ever part of a name."""


# Scripts written without spaces in which one character is the best token to be had without a dictionary:
# Han, kana, bopomofo, Tangut. Everything in the planes from U+20000 on is Han.
_UNSPACED_RANGES = """
    3005-3007 3021-3029 3031-3035 3038-303C 3041-3096 309B-309F 30A1-30FA 30FC-30FF 3105-312F 31A0-31BF
    31F0-31FF 3400-4DBF 4E00-9FFF F900-FAFF FF66-FF9F 17000-18DFF 1AFF0-1B2FF 20000-3FFFF
"""
UNSPACED = "".join(re.sub(r"\w+", lambda code: chr(int(code[0], 16)), _UNSPACED_RANGES).split())

_SPACED = re.sub(f"[{UNSPACED}]", " ", "".join(map(chr, range(0x10000))))
_CATEGORIES = "".join(category(character)[0] for character in _SPACED)
"""The main category (L, M, N, P ...) of each character of the first plane, except unspaced scripts."""


def _in_categories(wanted: str) -> str:
    runs = re.finditer(f"[{wanted}]+", _CATEGORIES)
    return "".join(f"{chr(run.start())}-{chr(run.end() - 1)}" for run in runs)


# Beyond the first plane `re` tries one range after the other, for every character that is in none: a few wide
# ranges (old scripts, mathematical letters, later additions) have to do.
_WORDS_BEYOND = "\U00010000-\U00016fff\U0001d400-\U0001d7ff\U0001e000-\U0001e95f"
_MARKS_BEYOND = "\U0001d165-\U0001d172\U000e0100-\U000e01ef"

# Inside words, and never seen: soft hyphen, zero-width non-joiner (Persian), zero-width joiner (Indic).
_JOINERS = "\u00ad\u200c\u200d"
_SKIN_TONES = "\U0001f3fb-\U0001f3ff"
_FLAG_TAGS = "\U000e0020-\U000e007f"

UPPER = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
LOWER = "a-zß-öø-ÿα-ωа-яё"
APOSTROPHES = "'’"
HYPHENS = "\\-\u2010\u2011"
WORD = _in_categories("LMN") + _JOINERS + _WORDS_BEYOND + _MARKS_BEYOND
"""Letters, digits and marks of scripts that are written with spaces."""
EXTENDING = _in_categories("M") + _JOINERS + _MARKS_BEYOND + _SKIN_TONES + _FLAG_TAGS
"""What belongs to the character before it, whatever that is: marks, joiners, skin tones, flag tags."""

# Parts of a compound such as 26-year-old. The bound keeps the memory of a match small on hostile input.
_MOST_PARTS = 60

# No quotes and angle brackets, and nothing from U+2000 on: Chinese text may follow an address directly.
_URL_LETTERS = "a-zA-Z0-9\u00c0-\u167f\u1681-\u1fff"
_URL_CHARACTERS = f"!#-;=?-~\u00a1-\u00bf{_URL_LETTERS}"
_URL_LAST = f"{_URL_LETTERS}_/=#&%+~$*-"
_DOMAINS = (
    "com|org|net|edu|gov|mil|int|info|biz|io|co|tv|me|ly|eu|us|uk|ie|ca|au|nz|in|za|de|at|ch|fr|be|nl|it|es|pt"
    "|mx|ar|cl|pe|br|se|no|dk|fi|pl|cz|ru|ua|tr|il|cn|hk|tw|jp|kr|sg"
)
# Of the web, and of mail.
ADDRESS = (
    rf"(?:(?:https?|ftp)://|www\.)[{_URL_CHARACTERS}]*[{_URL_LAST}]"
    rf"|(?:[a-zA-Z0-9][a-zA-Z0-9-]{{0,62}}\.){{1,8}}(?:{_DOMAINS})(?![\w@])"
    rf"(?:/(?:[{_URL_CHARACTERS}]*[{_URL_LAST}])?)?"
    r"|[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?<=\w)"
)
ENTITY = r"&(?:[a-zA-Z]{2,8}|#\d{1,7}|#x[\da-fA-F]{1,6});"
EMOTICON = r"(?<!\S)(?:[:;=][-o'^]?[()\[\]DPpOo/\\|*]|<3|\^_?\^|-_+-)(?!\S)"
FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
RUN = r"\.{2,}|…+|-{2,}|—{2,}|={2,}|\*{2,}|_{2,}|~{2,}|[!?]{2,}|'{2,}|`{2,}"
CURRENCY = r"[A-Z]{1,3}\$(?![^\W\d])"

# A dot at the end of a sentence is a token of its own, whatever it follows.
INSIDE_SENTENCE = rf"(?![{CLOSING}]{{0,8}}\s*\Z)"
LIST_NUMBER = rf"(?:(?<![^\n])|(?<=[.!?:;] ))\d{{1,2}}\.(?=[^\S\n]){INSIDE_SENTENCE}"

# Most tokens, found quickly: words of western letters with a clear end, and unambiguous punctuation.
_LETTERS = "[A-Za-zÀ-ÖØ-öø-ÿ]+"
SIMPLE = (
    rf"{_LETTERS}(?=[\s,])|{_LETTERS}(?![{WORD}{APOSTROPHES}{HYPHENS}&@_./:$+#])"
    rf"|[,()\"“”\[\]{{}}](?![{EXTENDING}])|\.(?=\s|\Z)"
)
HANDLE = rf"[@#][{WORD}_]+"  # @name and #tag
# Units and the like, with a single letter on one side of the slash: km/h, I/O, s/he. Names are split.
SHORT_SLASHED = rf"(?:and/or|[A-Za-z]/[A-Za-z]{{1,2}}|[A-Za-z]{{1,3}}/[a-z])(?![{WORD}/])"
# Letters with dots, one token even at the end of a sentence: U.S., Ph.D., EE.UU., p.m., U.S.-based.
ACRONYM = rf"(?:[{UPPER}{LOWER}]{{1,2}}\.){{2,12}}(?:-[{WORD}]+)?"
# J. and J.-P. before a name, written with or without a space; but not the start of U.S and the like.
INITIAL = rf"[{UPPER}]\.(?:-[{UPPER}]\.)?(?![{UPPER}](?![{WORD}{APOSTROPHES}])){INSIDE_SENTENCE}"
# Any other character with what extends it, and emoji sequences with joiners.
SYMBOL = rf"\S[{EXTENDING}]*(?:(?<=\u200d)[^\s\w][{EXTENDING}]*){{0,16}}"


def compound(*, unjoined_after_apostrophe: str = "") -> str:
    """A word or number of several joined parts: O'Brien, AT&T, 26-year-old, 1996-12-06, 5,778.00, 4:08.22.

    Signs and leading dots belong to a number (+44, .556). `unjoined_after_apostrophe` is a pattern of endings
    that an apostrophe does not join to the word.
    """
    word = f"[{WORD}]+"
    apostrophe = f"[{APOSTROPHES}]"
    if unjoined_after_apostrophe:
        apostrophe += f"(?!(?:{unjoined_after_apostrophe})(?![{WORD}]))"
    joints = (
        rf"[{HYPHENS}_&]",
        apostrophe,
        rf"\.(?=[{LOWER}\d])",
        rf"(?<=[{UPPER}])\.(?=[{UPPER}])",
        r"(?<=\d)[,:/](?=\d)",
    )
    sign = r"(?<![^\s(\[$€£¥])(?:[+\-−]?\.|[+\-−])(?=\d)"
    return rf"(?:{sign})?{word}(?:(?:{'|'.join(joints)}){word}){{0,{_MOST_PARTS}}}"


def with_dots(known: Abbreviations) -> str:
    """Acronyms, initials, and known abbreviations inside a sentence, also before a hyphen (Mo.-based)."""
    anywhere = _one_of(known.before_names | known.sometimes_last | known.before_lower)
    anywhere += rf"\.{INSIDE_SENTENCE}(?:-[{WORD}]+)?"
    before_numbers = [rf"{_one_of(known.before_numbers)}\.(?=\s?\d)"] if known.before_numbers else []
    return "|".join((ACRONYM, anywhere, *before_numbers, INITIAL))


def _one_of(words: Iterable[str]) -> str:
    """A pattern of many words, sorted by their first letters so that few are tried."""
    branches = (
        f"{re.escape(first)}(?:{'|'.join(re.escape(word[1:]) for word in group)})"
        for first, group in groupby(sorted(words), itemgetter(0))
    )
    return f"(?:{'|'.join(branches)})"


def token_pattern(*alternatives: str) -> re.Pattern[str]:
    """One expression that finds the tokens of a text; earlier alternatives win, shared ones come last.

    Between tokens it first checks for whitespace, and fails at once.
    """
    shared = (HANDLE, ENTITY, EMOTICON, FLAG, RUN, SYMBOL)
    return re.compile(rf"(?!\s)(?:{'|'.join((*alternatives, *shared))})")


_PARAGRAPH_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\r[^\S\r\n]*\r\s*|\x0c\s*|\u2029\s*")

_ALWAYS_FINAL = "。！？｡"
_OPENING = "\"'“”‘„«»‹¿¡([{<「『（《〈【`*_"
_NEVER_FIRST = frozenset(",;:.!?…%)]}。！？｡，、；：）」』")

# One mark only, the last of a series: a run of marks without a space after it must not be scanned again and
# again. Scripts with wide marks put no space after a sentence.
_CANDIDATE = re.compile(rf"[.!?…؟।॥۔።{_ALWAYS_FINAL}](?:[{CLOSING}]*\s+|(?<=[{_ALWAYS_FINAL}])[{CLOSING}]*)")
_OPENING_RUN = re.compile(rf"[{re.escape(_OPENING)}]{{1,8}}")
_NEXT_WORD = re.compile(r"([^\W\d_]+)(?![.\w])")

_SPACE = re.compile(r"\s")
_PROSE = re.compile(r"^[^:]{0,200}\s[a-z]")
_NARROW = 40
"""Text that is wrapped has lines of more characters than this."""

# Longer than any abbreviation: this many characters before a dot are examined.
_LONGEST_WORD = 24

# U.S, J, J.-P, e.g, EE.UU: what is before the last dot of initials and of letters with dots.
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.-?)+[^\W\d_]{1,2}|[^\W\d_]")
_LIST_NUMBER = re.compile(r"\d{1,2}")


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where stretches of running text end, and where what follows them begins."""
    start = 0
    paragraphs = ((found.start(), found.end()) for found in _PARAGRAPH_BREAK.finditer(text))
    for end, following in chain(paragraphs, ((len(text), len(text)),)):
        yield from ((line, line) for line in _unwrapped_lines(text, start, end))
        yield end, following
        start = following


def _unwrapped_lines(text: str, start: int, end: int) -> Iterator[int]:
    """Where lines of a paragraph begin that do not go on with the line before.

    They do if they begin with a small letter. In running text they also do if their first word had no room
    on a line as long as the longest, or if there are small letters in both lines and no mark between them.
    Lists, headings, letterheads and signatures are no running text: no line begins with a small letter.
    """
    begins, begin = [start], text.find("\n", start, end) + 1
    while begin:
        begins.append(begin)
        begin = text.find("\n", begin, end) + 1
    lines = [text[first:last].strip() for first, last in pairwise([*begins, end])]
    firsts = [line[:_LONGEST_WORD].lstrip(_OPENING)[:1] for line in lines]
    width = max(map(len, lines))
    is_running = len(lines) == 2 or any(map(str.islower, firsts[1:]))
    for begin, line, following, first in zip(begins[1:], lines, lines[1:], firsts[1:], strict=False):
        room = width - len(line)  # for a space and the next word
        has_room = width < _NARROW or len(following) < room or _SPACE.search(following[:room])
        is_prose = _PROSE.search(line) and line[-1].isalnum() and first.isalpha() and _PROSE.search(following)
        if not first.islower() and not (is_running and (is_prose or not has_room)):
            yield begin


def sentence_ends(text: str, abbreviations: Abbreviations) -> Iterator[int]:
    """Offsets at which a sentence ends and the next one starts; the last is the end of the text.

    A blank line always ends a sentence; a line break does unless the text is wrapped there.
    """
    start = 0
    for end, following in _blocks(text):
        for candidate in _CANDIDATE.finditer(text, start, end):
            if candidate.end() < end and _ends_sentence(text, start, candidate, abbreviations):
                start = candidate.end()
                yield start
        start = following
        yield start


def _ends_sentence(text: str, start: int, candidate: re.Match[str], abbreviations: Abbreviations) -> bool:
    """True if the mark of a candidate ends the sentence that begins at `start`."""
    mark, following = candidate.span()
    if opening := _OPENING_RUN.match(text, following):
        following = opening.end()
    first = text[following : following + 1]
    if not first or first in _NEVER_FIRST or (first.islower() and text[mark] not in _ALWAYS_FINAL):
        return False
    if text[mark] != ".":
        return True
    words = text[max(start, mark - _LONGEST_WORD) : mark].replace("—", " ").split()
    word = words[-1].lstrip(_OPENING) if words else ""
    if word in abbreviations.before_names or (first.isdigit() and word in abbreviations.before_numbers):
        return False
    if word in abbreviations.sometimes_last or _DOTTED.fullmatch(word):
        next_word = _NEXT_WORD.match(text, following)
        return next_word is not None and next_word[1] in abbreviations.openers
    # The number of a list item, first in its sentence or line, does not end one.
    begin = mark - len(word)
    return not _LIST_NUMBER.fullmatch(word) or (begin != start and text[begin - 1] != "\n")
