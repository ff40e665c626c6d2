"""Contextual encoders: both kinds against their definitions, and for sentences of any length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from _writers import write_encoder
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import FofeError
from fofe.features import language_models_torch
from fofe.features.config import ViewConfig
from fofe.features.language_models_torch import (
    CachedVectors,
    CharacterLanguageModels,
    LanguageModel,
    contextual_of,
    load_language_model,
)

CHARACTERS = ["", "\n", " ", *"abcdeABCDE"]
SENTENCES = [["Ada", "bade"], ["e"], ["dead", "?", "Abba", "cab"]]
HIDDEN = 3


def write_character_models(folder: Path) -> Path:
    return write_encoder(folder, CHARACTERS, size=2, hidden=HIDDEN)


def write_transformer(folder: Path) -> Path:
    transformers = pytest.importorskip("transformers")
    tokenizers = pytest.importorskip("tokenizers")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdeABCDE", *(f"##{letter}" for letter in "abcde")]
    tokeniser = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    tokeniser.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokeniser.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokeniser, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=4,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=40,
    )
    torch.manual_seed(1)
    transformers.BertModel(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module", params=[write_character_models, write_transformer])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    folder = request.param(tmp_path_factory.mktemp("encoder") / "model")
    return load_language_model(folder).eval()


@pytest.fixture(scope="module")
def character_models(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    return load_language_model(write_character_models(tmp_path_factory.mktemp("encoder") / "model"))


def test_a_token_has_the_states_behind_the_spaces_around_it(character_models: LanguageModel) -> None:
    (sentence,) = SENTENCES[2:]
    vectors = character_models.vectors([sentence], 1)
    for direction, text in enumerate(
        ("\n" + " ".join(sentence) + " ", "\n" + " ".join(sentence)[::-1] + " ")
    ):
        state = [torch.zeros(1, HIDDEN), torch.zeros(1, HIDDEN)]
        weights = {
            name.rsplit(".", 1)[1].removesuffix("_l0"): value
            for name, value in character_models.state_dict().items()
            if name.startswith(f"lstms.{direction}.")
        }
        cell = torch.nn.LSTMCell(2, HIDDEN)
        cell.load_state_dict(weights)
        behind_spaces = []
        for character in text:
            row = CHARACTERS.index(character) if character in CHARACTERS else 0
            embedded = character_models.state_dict()[f"embeddings.{direction}.weight"][row]
            state = list(cell(embedded[None], tuple(state)))
            if character == " ":
                behind_spaces.append(state[0][0].detach().numpy())
        expected = behind_spaces[::-1] if direction else behind_spaces
        found = vectors[:, direction * HIDDEN : (direction + 1) * HIDDEN]
        assert found == pytest.approx(np.array(expected), abs=1e-3)


def test_a_token_has_the_mean_of_its_sub_words(tmp_path: Path) -> None:
    folder = write_transformer(tmp_path / "model")
    read = load_language_model(folder).eval()
    transformers = pytest.importorskip("transformers")
    plain = transformers.AutoModel.from_pretrained(folder).eval()
    ids = torch.tensor([[2, *read.cut([["Ada", "bade"]]).ids.tolist(), 3]])
    with torch.no_grad():
        layers = plain(ids, output_hidden_states=True).hidden_states[-2:]
    expected = [
        torch.cat([layer[0, span].mean(0) for layer in layers]) for span in (slice(1, 4), slice(4, 8))
    ]
    assert read.vectors([["Ada", "bade"]], 2) == pytest.approx(torch.stack(expected).numpy(), abs=2e-3)


@given(
    st.lists(
        st.lists(st.text("abcdE?é", min_size=1, max_size=6), min_size=1, max_size=9), min_size=1, max_size=5
    )
)
def test_a_sentence_does_not_see_its_neighbours(model: LanguageModel, sentences: list[list[str]]) -> None:
    together = model.vectors(sentences, 1)
    alone = np.concatenate([model.vectors([sentence], 1) for sentence in sentences])
    assert together.shape == (sum(map(len, sentences)), model.width)
    assert together == pytest.approx(alone, abs=2e-3)


def test_long_sentences_are_read_to_their_end(model: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = ["Ada", "bade", "dead"] * 60
    whole = model.vectors([sentence], 1)
    assert len(whole) == 180
    assert np.isfinite(whole).all()
    assert not np.array_equal(whole[3], whole[-3]), "context differs at both ends"
    monkeypatch.setattr(language_models_torch, "STEPS_AT_ONCE", 7)
    assert model.vectors([sentence], 1) == pytest.approx(whole, abs=1e-3)


def test_vectors_are_computed_once_for_a_text(
    character_models: LanguageModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = character_models.vectors(SENTENCES, 1)
    cached = CachedVectors(character_models, 1, tmp_path)
    assert np.array_equal(cached(SENTENCES), expected)
    monkeypatch.setattr(character_models, "read", None)
    assert np.array_equal(cached(SENTENCES), expected)
    assert len(list(tmp_path.iterdir())) == 1, "one file, and nothing half-written"


def test_models_with_one_encoder_read_a_text_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = ViewConfig("lm", "encoder", encoder="lm", dimension=2)
    folders = [write_character_models(tmp_path / name) for name in ("first", "second")]
    one, other = (contextual_of([view], {"lm": folder}, torch.device("cpu"))["lm"] for folder in folders)
    expected = load_language_model(folders[0]).eval().vectors(SENTENCES, 1)
    assert np.array_equal(one(SENTENCES), expected)
    monkeypatch.setattr(CharacterLanguageModels, "read", None)
    assert np.array_equal(other(SENTENCES), expected)
    with pytest.raises(TypeError):
        other(SENTENCES[:1])


def test_saved_models_read_the_same(model: LanguageModel, tmp_path: Path) -> None:
    model.save(tmp_path)
    again = load_language_model(tmp_path).eval()
    assert again.digest() == model.digest()
    assert np.array_equal(again.vectors(SENTENCES, 1), model.vectors(SENTENCES, 1))


@pytest.mark.parametrize(
    ("config", "problem"),
    [(None, "No such file"), ("{}", "model_type"), ("[", "model_type"), ('{"model_type": "no"}', "encoder")],
)
def test_what_is_no_encoder_is_refused(config: str | None, problem: str, tmp_path: Path) -> None:
    if config is not None:
        (tmp_path / "config.json").write_text(config, "utf-8")
    with pytest.raises(FofeError, match=problem):
        load_language_model(tmp_path)
