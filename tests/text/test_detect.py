from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import FofeError
from fofe.text.detect import detect, recognise

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ENGLISH = "The mayor of the old town said that she would not be at the meeting."
SPANISH = "La alcaldesa de la ciudad vieja dijo que no estaría en la reunión de los lunes."
CHINESE = "老城的市长说她不会参加星期一的会议。"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (ENGLISH.upper(), "en"),
        ("Who is the author of this book?", "en"),
        (SPANISH, "es"),
        ("El gobierno aprobó la ley por mayoría, según los diputados.", "es"),
        ("¿Dónde está el libro que compré para mi hermana?", "es"),
        ("Ana Torres viajó de Sevilla a Buenos Aires con la Cruz Roja.", "es"),
        ("La empresa abrirá una fábrica en Córdoba.", "es"),
        (CHINESE, "zh"),
        ("今天 iPhone 发布了", "zh"),
        ("香港特別行政區政府今日宣布新措施。", "zh"),
    ],
)
def test_the_three_languages(text: str, language: str) -> None:
    assert detect(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "12345 67890",
        "Toronto",
        "😀😀😀",
        "Le maire de la vieille ville a dit que les élus ne seraient pas dans la salle avec nous.",
        "O prefeito da cidade disse que não estaria em uma reunião com os vereadores.",
        "Il sindaco della città vecchia ha detto che non sarebbe alla riunione di lunedì con gli altri.",
        "Der Bürgermeister der alten Stadt sagte, dass er nicht zu der Sitzung mit den anderen kommt.",
        "El batlle de la ciutat va dir que no aniria a la reunió amb els altres regidors per la tarda.",
        "昨日、東京で新しい駅が開業しました。たくさんの人が集まりました。",
        "서울에서 새로운 역이 문을 열었다.",
    ],
)
def test_other_languages_and_too_little_text_have_no_answer(text: str) -> None:
    assert detect(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "A nurse in Leeds won a prize.",
        "A tram hit a car in Lisbon.",
        "Mary met a man.",
        "I met Ana in Oslo.",
        "A red van hit a bus.",
        "Does this jacket come in blue?",
        "O'Neill won a prize.",
    ],
)
def test_a_short_english_sentence_is_taken_for_no_other_language(text: str) -> None:
    assert recognise(text) in ("en", None)


@pytest.mark.parametrize(
    "text",
    [
        "Ana vive en Madrid.",
        "Ana trabaja en Sevilla.",
        "Juan come pan.",
        "He visto a Juan en Madrid.",
        "Juan no vive en Lima.",
        "Ella es de Lima.",
        "Los niños cantan.",
        "La casa de Ana es roja.",
    ],
)
def test_a_short_spanish_sentence_is_taken_for_no_other_language(text: str) -> None:
    assert recognise(text) in ("es", None)


@pytest.mark.parametrize("folder", ["corpus", "kitchen"])
def test_the_sentences_of_the_examples_are_taken_for_no_other_language(folder: str) -> None:
    files = sorted((EXAMPLES / folder).glob("*.jsonl"))
    texts = [json.loads(line)["text"] for file in files for line in file.read_text("utf-8").splitlines()]
    assert texts
    assert [text for text in texts if recognise(text) not in ("en", None)] == []


def test_a_mixture_is_taken_for_the_language_that_most_of_it_is_in() -> None:
    assert detect(f"{ENGLISH} {SPANISH} {SPANISH}") == "es"
    assert detect(f"{ENGLISH} {SPANISH} {ENGLISH} {ENGLISH}") == "en"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("No se ha podido guardar porque ya existe otra copia con ese nombre.", "es"),
        ("Guarde sus cambios antes de cerrar, o perderá cuanto haya escrito hoy.", "es"),
        ("Nevica ancora, e nessuno sa quando riaprirà quella vecchia strada.", "it"),
        ("Chiudere ogni finestra prima che arrivi quel temporale, per favore.", "it"),
        ("Impossible d'ouvrir ce fichier, car un autre programme l'utilise encore.", "fr"),
        ("Bitte speichern Sie Ihre Änderungen, bevor Sie dieses Fenster schließen.", "de"),
        ("Feche todas as janelas antes que chegue aquela tempestade, por favor.", "pt"),
        ("Close every window before that storm arrives, please, and tell Marco.", "en"),
        ("Use --all o visite https://example.org/the/of/and para ver otros ejemplos.", "es"),
    ],
)
def test_a_sentence_of_eight_words_has_a_language(text: str, language: str) -> None:
    assert recognise(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "Zamknij wszystkie okna, zanim nadejdzie burza, i zadzwoń do sąsiadów.",
        "Fırtına gelmeden önce lütfen bütün pencereleri kapatın ve komşuları arayın.",
        "Закройте все окна, пока не началась гроза, и позвоните соседям.",
    ],
)
def test_a_language_that_is_not_known_has_no_answer(text: str) -> None:
    assert recognise(text) is None


def test_foreign_names_do_not_mislead() -> None:
    assert detect(f"{ENGLISH} 北京 東京 El Paso de los Toros") == "en"
    assert detect(f"{CHINESE} The New York Times 报道") == "zh"


@given(st.text(max_size=300))
def test_any_text_has_an_answer_or_none(text: str) -> None:
    assert detect(text) in ("en", "es", "zh", None)


def test_what_is_no_text_has_no_language() -> None:
    for wrong in (5, None, ENGLISH.encode()):
        with pytest.raises(FofeError, match="a text is a string, not of type"):
            detect(wrong)  # type: ignore[arg-type]
