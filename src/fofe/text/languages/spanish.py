"""Spanish: `¿ ¡ « »` split off, abbreviations with their dots, contractions (`del`, `al`) as they are."""

from __future__ import annotations

from functools import partial

from fofe.text import _patterns as patterns
from fofe.text._rules import Abbreviations, Rules, sentence_ends

_BEFORE_NAMES = """
    Sr Sra Srta Sres Sras Dr Dra Dres D Dña Prof Profa Lic Ing Arq Abog Gral Tte Cnel Cap Cte Sgto Alm
    Mons Rvdo Fr Hno Hna Sto Sta Excmo Excma Ilmo Ilma Pdte Pdta Avda Av Pza Pl Ctra Dpto Col sr sra srta
    dr dra prof gral avda ctra núm núms pág págs art arts cap vol fig ej vs tel tfno Tel Núm Pág Art Vol
    Fig EE FF cf aprox
"""
_SOMETIMES_LAST = """
    Cía Hnos Ltda Ltd Inc Corp Co Jr UU CC AA OO JJ ene feb abr jun jul ago sep sept oct nov dic Ene
    Feb Abr Jun Jul Ago Sep Sept Oct Nov Dic Ud Uds Vd Vds ptas pts máx mín hab
"""
_SENTENCE_OPENERS = """
    A Además Ahora Al Algunos Ante Antes Así Asimismo Aún Aunque Ayer Cada Casi Como Cómo Con Contra Cuál
    Cuando Cuándo De Del Desde Después Donde Dónde Durante El Él Ella Ellas Ellos En Entonces Entre Era Es
    Esa Esas Ese Eso Esos Esta Está Estas Este Esto Estos Fue Ha Había Hace Han Hasta Hay Hoy La Las Le
    Les Lo Los Luego Mas Más Mientras Mi Muchos Muy Nada Ni No Nos Nosotros Nuestra Nuestro O Otra Otras
    Otro Otros Para Pero Poco Por Porque Pues Que Qué Quien Quién Se Según Ser Si Sí Sin Sobre Solo Sólo
    Son Su Sus También Tampoco Tan Tanto Te Tenemos Tiene Toda Todas Todo Todos Tras Tu Un Una Unos Unas
    Varios Y Ya Yo
"""

ABBREVIATIONS = Abbreviations(
    before_names=frozenset(_BEFORE_NAMES.split()),
    before_numbers=frozenset(["No", "Nos"]),
    sometimes_last=frozenset(_SOMETIMES_LAST.split()),
    before_lower=frozenset(["etc"]),
    openers=frozenset(_SENTENCE_OPENERS.split()),
)


def rules() -> Rules:
    """The rules of Spanish."""
    ordinal = r"\d{1,4}\.?[ºª]|[nN]\.?º|[Nn]ro\."
    shortened_year = r"['’]\d{2,4}(?!\w)"
    small_letter = rf"[chmps]\.{patterns.INSIDE_SENTENCE}(?=\s)"
    token = patterns.token_pattern(
        patterns.plain(),
        patterns.URL,
        patterns.EMAIL,
        ordinal,
        patterns.acronym(),
        patterns.abbreviation(ABBREVIATIONS),
        patterns.initial(),
        small_letter,
        patterns.LIST_NUMBER,
        patterns.short_slashed(),
        patterns.CURRENCY,
        patterns.compound(),
        shortened_year,
    )
    return Rules(token, partial(sentence_ends, abbreviations=ABBREVIATIONS))
