"""English, tokenised like the Penn Treebank and the CoNLL corpora.

Clitics are separate tokens (`do n't`, `Toronto 's`), compounds with hyphens are one token, abbreviations keep
their dots inside a sentence.
"""

from __future__ import annotations

from functools import partial

from fofe.text import _patterns as patterns
from fofe.text._patterns import APOSTROPHES, word_characters
from fofe.text._rules import Abbreviations, Rules, sentence_ends

_TITLES = """
    Mr Mrs Ms Messrs Dr Drs Prof Rev Fr Hon Pres Gov Lt Gen Maj Col Capt Cpl Sgt Pvt Cmdr Cdr Adm Brig Sen
    Rep Reps Supt Insp Det Amb Atty Mme Mlle St Ste Mt Ft vs Vs Fig Figs fig Vol vol
"""
_BEFORE_NUMBERS = "No Nos Art Sec Ch Pt Eq pp"
_SUFFIXES_AND_PLACES = """
    Jr Sr Esq Inc Corp Co Cos Ltd Bros Assn Dept Div Intl Univ Inst Mfg Ave Blvd Rd Hwy Sq Bldg Jan Feb
    Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri Ala Ariz Ark Calif Colo Conn
    Del Fla Ga Ill Ind Kan Ky La Md Mass Mich Minn Miss Mo Mont Neb Nev Okla Ont Ore Pa Penn Que Tenn Tex
    Va Vt Wash Wis Wyo al v approx est ca ed eds Ed Eds govt Govt dept
"""
_WORDS_IN_CAPITALS = frozenset(["MASS", "MISS", "ILL", "WASH", "MON", "ED", "LA", "PA", "MO", "IND"])
_SMALL = "etc jr sr inc corp ltd st mt dr mr mrs ms prof"
_SENTENCE_OPENERS = """
    A After Again All Also Although Among An And Another Any Are As At Because Before Both But By Can Did
    Do Does During Each Earlier Either Even Every Few For From Had Has Have He Hence Her Here His How
    However I If In Indeed Instead Is It Its Just Last Later Like Many Maybe Meanwhile Moreover More Most
    Much My Neither Nevertheless Nobody Nor Not Nothing Now Of Often On Once One Only Or Other Others Our
    Out Over Perhaps Several She Should Since So Some Such Than That The Their Then There Therefore These
    They This Those Though Through Thus To Today Under Unlike Until Upon Was We Were What When Where
    Whether Which While Who Why Will With Within Without Would Yesterday Yet You Your
"""

_CLITICS = "[sSmMdD]|re|RE|ve|VE|ll|LL"
_CLIPPED = r"em|EM|til|tis|Tis|twas|Twas|cause|\d\ds?"


def _with_headlines(words: str) -> frozenset[str]:
    """The words, and their forms in capitals, as in headlines."""
    listed = frozenset(words.split())
    return listed | ({word.upper() for word in listed if word[0].isupper()} - _WORDS_IN_CAPITALS)


ABBREVIATIONS = Abbreviations(
    before_names=_with_headlines(_TITLES),
    before_numbers=_with_headlines(_BEFORE_NUMBERS),
    sometimes_last=_with_headlines(_SUFFIXES_AND_PLACES),
    before_lower=frozenset(_SMALL.split()),
    openers=frozenset(_SENTENCE_OPENERS.split()),
)


def rules() -> Rules:
    """The rules of English."""
    end = f"(?![{word_characters()}])"
    not_clitic = f"[nN][{APOSTROPHES}][tT]{end}"
    clitic = rf"[{APOSTROPHES}](?:{_CLITICS}|{_CLIPPED}){end}|[{APOSTROPHES}][nN][{APOSTROPHES}]{end}"
    token = patterns.token_pattern(
        patterns.plain(),
        clitic,
        not_clitic,
        rf"[A-Za-z]+(?={not_clitic})",
        patterns.URL,
        patterns.EMAIL,
        patterns.acronym(),
        patterns.abbreviation(ABBREVIATIONS),
        patterns.initial(),
        patterns.LIST_NUMBER,
        patterns.short_slashed(),
        patterns.CURRENCY,
        r"C(?:\+\+|#)",
        patterns.compound(unjoined_after_apostrophe=_CLITICS),
    )
    return Rules(token, partial(sentence_ends, abbreviations=ABBREVIATIONS))
