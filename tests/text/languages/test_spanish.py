"""Spanish sentences and tokens."""

import pytest

from fofe.text.tokenise import tokeniser

TOKENS = [
    ("¿Quién es? ¡Nadie!", "¿ Quién es ? ¡ Nadie !"),
    ("El Sr. García fue al Congreso de los EE.UU.", "El Sr. García fue al Congreso de los EE.UU."),
    ("«Hola», dijo la Sra. Núñez del Río.", "« Hola » , dijo la Sra. Núñez del Río ."),
    ("Muchos países, p. ej. EE. UU., firmaron.", "Muchos países , p. ej. EE. UU. , firmaron ."),
    ("Telefónica S.A. subió un 5,5% (1.234,50 €).", "Telefónica S.A. subió un 5,5 % ( 1.234,50 € ) ."),
    ("Vive en la Avda. de América, núm. 5, 1.º B.", "Vive en la Avda. de América , núm. 5 , 1.º B ."),
    ("Madrid, 23 may (EFE).- El PSOE-Progresistas", "Madrid , 23 may ( EFE ) . - El PSOE-Progresistas"),
    ("L'Hospitalet, O'Higgins y McDonald's", "L'Hospitalet , O'Higgins y McDonald's"),
    ("A las 20.00 h. en los JJ.OO. del '92", "A las 20.00 h. en los JJ.OO. del '92"),
    ("Ganó por 6-3, 7-5 a 120 km/h.", "Ganó por 6-3 , 7-5 a 120 km/h ."),
    ("Peras, manzanas, etc.", "Peras , manzanas , etc ."),
    ("Espan\u0303a y Me\u0301xico", "Espan\u0303a y Me\u0301xico"),
]


@pytest.mark.parametrize(("text", "expected"), TOKENS, ids=[text for text, _ in TOKENS])
def test_tokens(text: str, expected: str) -> None:
    assert [token.text for token in tokeniser("es").document(text).tokens] == expected.split(" ")


SENTENCES = [
    "¿Qué hizo el Dr. Pérez?|¡Nada!|«Me voy», dijo.",
    "Vive en EE.UU.|El resto, en la C. Valenciana.",
    "Compró peras, etc.|Juan no.|Llegó D. Juan Carlos.",
    "Trabaja en Repsol S.A.|La empresa creció.|«Bien».|Fin",
    "Nació en 1950.|3 hijos tuvo.|¿Y tú?",
    "Véase p. ej. Pág. 5 y art. 3 de la ley.|Así es.",
]


@pytest.mark.parametrize("marked", SENTENCES)
def test_sentences(marked: str) -> None:
    """A bar stands for the space between two sentences."""
    text = marked.replace("|", " ")
    document = tokeniser("es").document(text)
    assert [text[sentence.start : sentence.end] for sentence in document.sentences] == marked.split("|")
