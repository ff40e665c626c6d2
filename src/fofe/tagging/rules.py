"""Rules beside a model: patterns and lists whose matches add, replace or forbid mentions.

What wins where matches and the model's mentions overlap, in this order:

1. `forbid`: no mention, of the rule's type if it has one, lies within a match.
2. `replace`: a match becomes a mention; those of the model that lie within it are dropped.
3. The model's mentions.
4. `add`: a match becomes a mention if it overlaps none of the others.

Of overlapping matches of one action the longest wins, then the first, then the rule that comes first. A
dropped mention therefore never uncovers text, unless a rule forbids it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path

from fofe.base.errors import ConfigError, FofeError, InputError, SettingError
from fofe.base.files import open_bytes, read_text
from fofe.base.settings import build, read_toml
from fofe.text.document import NONE, Document, Mention, split_label

FORBID, REPLACE, ADD = ACTIONS = ("forbid", "replace", "add")
GROUP = "mention"
"""The group of a pattern that is the mention, where it is not the whole match."""
SHIPPED = {path.stem: path for path in sorted(Path(__file__).with_name("rule_sets").glob("*.toml"))}
"""The sets that come with the package, by their names."""
GLANCE = 64
"""So many bytes tell whether a file is text."""
CONTACT = "contact"
"""The set that redaction follows."""

_IBAN_LENGTHS = """
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24
    FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
    LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22
    SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20
"""
IBAN_LENGTHS = {code[:2]: int(code[2:]) for code in _IBAN_LENGTHS.split()}
"""How long the account numbers of a country are."""


def _luhn(text: str) -> int:
    digits = [int(one) for one in reversed(text) if one.isdigit()]
    total = sum(digits[::2]) + sum(sum(divmod(2 * one, 10)) for one in digits[1::2])
    return 0 if total % 10 or not any(digits) else len(text)


def _iban(text: str) -> int:
    places = [place for place, one in enumerate(text) if one.isalnum()]
    length = IBAN_LENGTHS.get(text[:2].upper(), len(places) + 1)
    if length > len(places):
        return 0
    end = places[length - 1] + 1
    code = "".join(text[place].upper() for place in places[:length])
    number = int("".join(str(int(one, 36)) for one in code[4:] + code[:4]))
    return end if number % 97 == 1 and not text[end : end + 1].isalnum() else 0


def _ip(text: str) -> int:
    try:
        ip_address(text)
    except ValueError:
        return 0
    return len(text) if any(map(str.isalnum, text)) else 0


CHECKS: dict[str, Callable[[str], int]] = {"luhn": _luhn, "iban": _iban, "ip": _ip}
"""How many characters of a match are valid, from its start; 0 if it is not."""


@dataclass(frozen=True)
class Rule:
    """What is matched, by one of `pattern`, `phrases` and `file`; and what then happens."""

    name: str
    """What `Mention.rule` says."""
    type: str = ""
    """The label of mentions, such as `PER` or `PER_NOM`; a `forbid` rule without one forbids all."""
    action: str = ADD
    pattern: str = ""
    """A regular expression; its group `mention`, if it has one, is the mention. Empty matches are none."""
    phrases: tuple[str, ...] = ()
    """Words as they stand in the text, which begin and end with a token."""
    file: str = ""
    """A file of phrases, one per line."""
    ignore_case: bool = False
    check: str = ""
    """A test that matches of the pattern must pass: `luhn`, `iban` or `ip`."""

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise SettingError(f"action must be one of {', '.join(ACTIONS)}, not {self.action!r}")
        given = [what for what in ("pattern", "phrases", "file") if getattr(self, what)]
        if len(given) != 1 or not all(map(str.strip, self.phrases)):
            found = " and ".join(given) if len(given) != 1 else "an empty phrase"
            problem = f"rule {self.name!r} needs one of pattern, phrases and file, not {found or 'none'}"
            raise SettingError(problem)
        if not self.name or not (self.type or self.action == FORBID):
            raise SettingError(f"rule {self.name!r} needs a {'type' if self.name else 'name'}")
        if self.type == NONE:
            raise SettingError(
                f"the type of rule {self.name!r} must not be {NONE}, which stands for no mention"
            )
        if not self.type.isprintable():
            raise SettingError(f"the type of rule {self.name!r} has a tab, a line break or the like")
        if self.check and (self.check not in CHECKS or not self.pattern):
            raise SettingError(
                f"check must be one of {', '.join(CHECKS)}, with a pattern, not {self.check!r}"
            )
        try:
            re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise SettingError(f"the pattern of rule {self.name!r} is not valid: {error}") from None

    def alone(self) -> Rule:
        """The rule with the phrases of its file as its own."""
        return replace(self, file="", phrases=tuple(sorted(self._phrases))) if self.file else self

    def spans(self, document: Document) -> Iterator[tuple[int, int]]:
        """Where a document with sentences matches, in order."""
        return self._pattern_spans(document.text) if self.pattern else self._phrase_spans(document)

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.IGNORECASE if self.ignore_case else 0)

    def _pattern_spans(self, text: str) -> Iterator[tuple[int, int]]:
        position = 0
        while position < len(text) and (found := self._compiled.search(text, position)):
            start, end = found.span(GROUP if GROUP in self._compiled.groupindex else 0)
            if self.check:
                end = start + CHECKS[self.check](text[start:end])
            if start < end:
                yield start, end
            position = max(end, found.start() + 1)

    @cached_property
    def _phrases(self) -> frozenset[str]:
        lines = _lines(self.file) if self.file else self.phrases
        return frozenset(filter(None, map(self._key, lines)))

    @cached_property
    def _longest(self) -> dict[str, int]:
        """The length of the longest phrase that begins with a character."""
        return {phrase[0]: len(phrase) for phrase in sorted(self._phrases, key=len)}

    def _key(self, text: str) -> str:
        words = " ".join(text.split())
        return words.lower() if self.ignore_case else words

    def _phrase_spans(self, document: Document) -> Iterator[tuple[int, int]]:
        """The longest phrase that begins with each token, from left to right."""
        for sentence in document.sentences:
            tokens, first = sentence.tokens, 0
            while first < len(tokens):
                start, found = tokens[first].start, None
                for number in range(first, len(tokens)):
                    key = self._key(document.text[start : tokens[number].end])
                    if len(key) > self._longest.get(key[:1], 0):
                        break
                    if key in self._phrases:
                        found = number
                if found is not None:
                    yield start, tokens[found].end
                first = (first if found is None else found) + 1


@dataclass(frozen=True)
class Rules:
    """Rules in the order of their precedence."""

    rule: tuple[Rule, ...] = ()

    @classmethod
    def of(cls, *sources: str | Path | Rule) -> Rules:
        """Rules, those of TOML files, and those of sets that come with the package, by their names."""
        found: list[Rule] = []
        for source in sources:
            found += [source] if isinstance(source, Rule) else _read(source)
        return cls(tuple(dict.fromkeys(found)))

    @property
    def labels(self) -> list[str]:
        """The labels of the mentions that they make."""
        return list(dict.fromkeys(rule.type for rule in self.rule if rule.action != FORBID))

    def applied(self, document: Document) -> Document:
        """The document, which has sentences, with its mentions changed by the rules."""
        if not self.rule:
            return document
        by_action: dict[str, list[Mention]] = {action: [] for action in ACTIONS}
        for rule in self.rule:
            type, kind = split_label(rule.type)
            by_action[rule.action] += (
                Mention(start, end, type, kind, text=document.text[start:end], rule=rule.name)
                for start, end in rule.spans(document)
            )
        if not any(by_action.values()):
            return document
        for matches in by_action.values():
            matches.sort(key=lambda match: (match.start - match.end, match.start))
        forbidden = _Cover((match.start, match.end, match.label) for match in by_action[FORBID])
        taken = bytearray(len(document.text))
        replacing = _chosen(by_action[REPLACE], forbidden, taken)
        replaced = _Cover((match.start, match.end, "") for match in replacing)
        kept = [one for one in document.mentions if not forbidden.holds(one) and not replaced.holds(one)]
        for one in kept:
            taken[one.start : one.end] = b"\1" * (one.end - one.start)
        mentions = [*kept, *replacing, *_chosen(by_action[ADD], forbidden, taken)]
        return replace(document, mentions=sorted(mentions, key=lambda one: (one.start, one.end)))


class _Cover:
    """Spans of labels; an empty label stands for all."""

    def __init__(self, spans: Iterable[tuple[int, int, str]]) -> None:
        self._starts: dict[str, list[int]] = {}
        self._ends: dict[str, list[int]] = {}
        for start, end, label in sorted(spans):
            self._starts.setdefault(label, []).append(start)
            ends = self._ends.setdefault(label, [])
            ends.append(max(end, ends[-1]) if ends else end)

    def holds(self, mention: Mention) -> bool:
        """Whether a mention lies within one of its spans that has the label."""
        for key in ("", mention.label):
            before = bisect_right(self._starts.get(key, []), mention.start)
            if before and self._ends[key][before - 1] >= mention.end:
                return True
        return False


def _chosen(matches: list[Mention], forbidden: _Cover, taken: bytearray) -> list[Mention]:
    """The matches that are allowed and overlap nothing taken, which they then take; one byte a character."""
    chosen = []
    for match in matches:
        if not forbidden.holds(match) and not any(taken[match.start : match.end]):
            taken[match.start : match.end] = b"\1" * (match.end - match.start)
            chosen.append(match)
    return chosen


def _lines(path: str) -> list[str]:
    """The phrases of a file; an error for what `fofe gazetteer` reads and writes."""
    remedy = "a rule reads one phrase per line, without types"
    with open_bytes(path) as stream:
        if b"\0" in stream.read(GLANCE):
            raise InputError("is no text but, say, a gazetteer of fofe", path=path, remedy=remedy)
    lines = read_text(path).splitlines()
    for number, line in enumerate(lines, start=1):
        if "\t" in line.strip():
            raise InputError("has a tab, as no phrase has", path=path, line=number, remedy=remedy)
    return lines


def _read(source: str | Path) -> tuple[Rule, ...]:
    """The rules of a set that comes with the package, or of a file."""
    if not isinstance(source, (str, Path)):
        raise FofeError(
            f"rules are files, names of sets or Rule objects, not of type {type(source).__name__}"
        )
    path = SHIPPED.get(str(source), Path(source))
    if not path.is_file():
        remedy = f"give a TOML file, or a set that comes with fofe: {', '.join(SHIPPED)}"
        raise ConfigError("no such file of rules", path=path, remedy=remedy)
    table = read_toml(path)
    read = () if isinstance(table.get("rule"), dict) else build(Rules, table, path=path).rule
    if not read:
        raise ConfigError("has no rules", path=path, remedy="begin each with [[rule]]")
    for rule in read:
        if not (path.parent / rule.file).exists():
            problem = f"rule {rule.name!r}: there is no file {rule.file}"
            raise ConfigError(problem, path=path, remedy="name one beside these rules")
    return tuple(replace(rule, file=str(path.parent / rule.file)) if rule.file else rule for rule in read)
