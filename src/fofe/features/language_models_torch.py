"""Contextual encoders: language models that give each token of a sentence a vector.

A directory holds one: a pair of character language models, or any encoder in the form of Hugging Face. Both
cut tokens into pieces (characters, sub-words), then read the pieces of whole sentences. Sentences longer than
an encoder can read at once are read in windows that overlap.
"""

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, Any, cast
from weakref import WeakValueDictionary

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from fofe.base.arrays import FloatArray, IntArray
from fofe.base.errors import InputError, ModelError, broken_file, needs
from fofe.base.files import write_atomically
from fofe.features.config import ViewConfig
from fofe.features.encoded import Pieces
from fofe.features.fragments import offsets_of

CHARACTER_LM = "fofe-character-lm"
"""The `model_type` in the config.json of a pair of character language models."""
WEIGHTS = "model.safetensors"
MOST_PIECES = 512
"""What an encoder reads at once, at most; attention to more would cost more than it is worth."""
PIECES_AT_ONCE = 12_000
"""How many pieces, padding included, are read together."""
SENTENCES_AT_ONCE = 512
STEPS_AT_ONCE = 2_000
"""How many characters of long sentences a character language model reads before it gives up their states."""


Contextual = Callable[[Sequence[Sequence[str]]], FloatArray]
"""What makes [T, L * D] contextual vectors of the tokens of sentences."""


class LanguageModel(nn.Module, ABC):
    """Reads sentences as pieces and gives each token vectors of some layers."""

    width: int
    """D, the numbers of a vector."""
    layers: int
    """How many layers it has, the last of which are asked for."""

    @abstractmethod
    def cut(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """The pieces of the tokens of sentences."""

    @abstractmethod
    def read(self, pieces: Pieces, layers: int) -> Tensor:
        """[T, L, D] the vectors of all tokens in the last layers."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write a directory that `load_language_model` reads."""

    def vectors(self, sentences: Sequence[Sequence[str]], layers: int) -> FloatArray:
        """[T, L * D] the same without gradients, in half precision."""
        with torch.no_grad():
            read = self.read(self.cut(sentences), layers)
        return cast(FloatArray, read.flatten(1).to(torch.float16).cpu().numpy())

    def by_depth(self) -> dict[int, list[nn.Parameter]]:
        """The parameters by how far below the last layer they are; what is in no layer is below the first."""
        depths: dict[int, list[nn.Parameter]] = {}
        for name, parameter in self.named_parameters():
            numbered = re.search(r"\blayers?\.(\d+)\.", name)
            depth = self.layers - 1 - int(numbered[1]) if numbered else self.layers
            depths.setdefault(depth, []).append(parameter)
        return depths

    def digest(self) -> str:
        """Differs between models with different weights."""
        digest = hashlib.sha256()
        for name, weight in sorted(self.state_dict().items()):
            digest.update(name.encode() + weight.cpu().contiguous().view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()


def load_language_model(path: str | Path) -> LanguageModel:
    """Read the directory of a language model."""
    folder = Path(path)
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
        kind = config["model_type"]
    except OSError as error:
        raise ModelError(f"is no encoder: {error.strerror}", path=folder / "config.json") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelError("does not name a model_type", path=folder / "config.json") from None
    return CharacterLanguageModels(folder, config) if kind == CHARACTER_LM else Transformer(folder)


class SharedVectors:
    """The vectors of a language model that several models may share; it reads a text once for all of them."""

    def __init__(self, model: LanguageModel, layers: int) -> None:
        self._model = model
        self._layers = layers
        self.users = 0
        self._last: tuple[list[list[str]], FloatArray] | None = None

    def __call__(self, sentences: Sequence[Sequence[str]]) -> FloatArray:
        """[T, L * D] as `LanguageModel.vectors` gives them."""
        last, text = self._last, list(map(list, sentences))
        if last is not None and last[0] == text:
            return last[1]
        vectors = self._model.vectors(sentences, self._layers)
        if self.users > 1:
            self._last = text, vectors
        return vectors


_shared: WeakValueDictionary[tuple[str, int, str], SharedVectors] = WeakValueDictionary()


def contextual_of(
    views: Iterable[ViewConfig], encoders: Mapping[str, Path], device: torch.device
) -> dict[str, Contextual]:
    """What makes contextual vectors for encoder views, whose language models are in directories."""
    contextual: dict[str, Contextual] = {}
    for view in views:
        model = load_language_model(encoders[view.name]).to(device).eval()
        key = model.digest(), view.layers, str(device)
        shared = _shared.get(key) or SharedVectors(model, view.layers)
        shared.users += 1
        contextual[view.name] = _shared[key] = shared
    return contextual


class CharacterLanguageModels(LanguageModel):
    """A language model that reads characters from left to right, and one from right to left.

    Tokens are joined by spaces. A token has the state of the first model behind the space after it, and that
    of the second behind the space before it (Akbik et al. 2018).
    """

    layers = 1

    def __init__(self, folder: Path, config: dict[str, Any]) -> None:
        super().__init__()
        self._characters: dict[str, int] = {
            character: row for row, character in enumerate(config["characters"]) if character
        }
        size, hidden = config["embedding_size"], config["hidden_size"]
        self.width = 2 * hidden
        self._fits = hidden % 16 == 0
        """Whether the LSTMs can be computed in 16 bits: oneDNN cannot do it for odd sizes."""
        self._config = config
        self.embeddings = nn.ModuleList(nn.Embedding(len(config["characters"]), size) for _ in range(2))
        self.lstms = nn.ModuleList(nn.LSTM(size, hidden) for _ in range(2))
        try:
            self.load_state_dict(load_file(folder / WEIGHTS))
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            path = folder / WEIGHTS
            raise InputError(f"is not the weights of this encoder: {reason}", path=path) from None

    def cut(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        tokens = [token for sentence in sentences for token in sentence]
        rows = [self._characters.get(character, 0) for token in tokens for character in token]
        return Pieces(offsets_of(sentences), np.array(rows, dtype=np.int64), offsets_of(tokens))

    def read(self, pieces: Pieces, layers: int) -> Tensor:
        newline, space = (self._characters.get(character, 0) for character in "\n ")
        states = torch.zeros(pieces.token_count, 2, self.width // 2)
        for direction, step in enumerate((1, -1)):
            texts: list[list[int]] = []
            tokens: list[list[int]] = []
            behind: list[list[int]] = []
            for first, end in pairwise(pieces.token_offsets.tolist()):
                tokens.append(list(range(first, end))[::step])
                ids = [pieces.ids[slice(*pieces.piece_offsets[token : token + 2])] for token in tokens[-1]]
                spelt = [[*of_token[::step].tolist(), space] for of_token in ids]
                texts.append([newline, *chain.from_iterable(spelt)])
                behind.append(offsets_of(spelt)[1:].tolist())
            for group in _of_similar_length(list(map(len, texts))):
                found = self._states(direction, [texts[one] for one in group], [behind[one] for one in group])
                for one, of_sentence in zip(group, found, strict=True):
                    states[tokens[one], direction] = of_sentence
        return states.flatten(1)[:, None]

    def _states(self, direction: int, texts: list[list[int]], asked: list[list[int]]) -> list[Tensor]:
        """For each text, the states [N, H] at the positions that are asked for."""
        device = next(self.parameters()).device
        padded = nn.utils.rnn.pad_sequence([torch.tensor(text) for text in texts]).to(device)
        state: tuple[Tensor, Tensor] | None = None
        found: list[list[Tensor]] = [[] for _ in texts]
        for first in range(0, len(padded), STEPS_AT_ONCE):
            some = padded[first : first + STEPS_AT_ONCE]
            with _reduced(device) if self._fits else torch.autocast(device.type, enabled=False):
                outputs, state = self.lstms[direction](self.embeddings[direction](some), state)
            for number, positions in enumerate(asked):
                here = [place - first for place in positions if 0 <= place - first < len(some)]
                found[number].append(outputs[here, number].float().cpu())
        return [torch.cat(parts) for parts in found]

    def save(self, folder: Path) -> None:
        (folder / "config.json").write_text(json.dumps(self._config), "utf-8")
        save_file(self.state_dict(), folder / WEIGHTS)


class Transformer(LanguageModel):
    """An encoder in the form of Hugging Face."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        with needs("this encoder needs transformers", "encoder", "transformers"):
            from transformers import AutoModel, AutoTokenizer
            from transformers.utils.logging import disable_progress_bar
        disable_progress_bar()  # type: ignore[no-untyped-call]  # of reading some files
        data_only: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        try:
            self.model = AutoModel.from_pretrained(folder, use_safetensors=True, **data_only)
            self._tokeniser = AutoTokenizer.from_pretrained(folder, use_fast=True, **data_only)
        except (OSError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise ModelError(f"cannot be read as an encoder: {reason}", path=folder) from None
        self.width = self.model.config.hidden_size
        self.layers = self.model.config.num_hidden_layers
        self._unknown = self._tokeniser.unk_token_id or 0
        bare, whole = (
            self._tokeniser("a", add_special_tokens=special)["input_ids"] for special in (False, True)
        )
        self._before = whole[: whole.index(bare[0])]
        self._after = whole[len(self._before) + len(bare) :]
        positions = getattr(self.model.config, "max_position_embeddings", MOST_PIECES)
        self._room = min(positions, MOST_PIECES) - len(self._before) - len(self._after)

    def cut(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        of_tokens: list[list[int]] = []
        for sentence in sentences:
            cut = self._tokeniser(list(sentence), is_split_into_words=True, add_special_tokens=False)
            found: list[list[int]] = [[] for _ in sentence]
            for piece, word in zip(cut["input_ids"], cut.word_ids(), strict=True):
                found[word].append(piece)
            # A token of nothing but odd characters may have no piece.
            of_tokens += [pieces or [self._unknown] for pieces in found]
        ids = np.array(list(chain.from_iterable(of_tokens)), dtype=np.int64)
        return Pieces(offsets_of(sentences), ids, offsets_of(of_tokens))

    def read(self, pieces: Pieces, layers: int) -> Tensor:
        borders = pieces.piece_offsets[pieces.token_offsets].tolist()
        windows = [window for first, end in pairwise(borders) for window in self._windows(first, end)]
        parts: list[Tensor] = []
        numbers: list[IntArray] = []
        for group in _of_similar_length([end - first for first, end, _, _ in windows]):
            chosen = [windows[number] for number in group]
            states = self._states([pieces.ids[first:end] for first, end, _, _ in chosen], layers)
            for row, (first, _, kept_first, kept_end) in enumerate(chosen):
                shift = len(self._before) - first
                parts.append(states[row, kept_first + shift : kept_end + shift])
                numbers.append(np.arange(kept_first, kept_end))
        order = torch.from_numpy(np.argsort(np.concatenate(numbers)))
        vectors = torch.cat(parts)[order.to(parts[0].device)]
        offsets = torch.from_numpy(pieces.piece_offsets[:-1]).to(vectors.device)
        rows = torch.arange(len(vectors), device=vectors.device)
        means = nn.functional.embedding_bag(rows, vectors.flatten(1), offsets, mode="mean")
        return means.view(pieces.token_count, layers, self.width)

    def _windows(self, first: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Windows of the pieces of a sentence, and the pieces that each is asked for, near its middle."""
        kept, step = first, self._room // 2
        while end - kept > 0:
            start = max(first, min(kept - step // 2, end - self._room))
            stop = min(end, start + self._room)
            kept_end = end if stop == end else stop - step // 2
            yield start, stop, kept, kept_end
            kept = kept_end

    def _states(self, texts: list[IntArray], layers: int) -> Tensor:
        """[B, N, L, D] the last layers for texts of pieces, with the special ones around them."""
        device = self.model.device
        around = [[*self._before, *text.tolist(), *self._after] for text in texts]
        ids = nn.utils.rnn.pad_sequence([torch.tensor(text) for text in around], batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(text)) for text in around], batch_first=True)
        with _reduced(device):
            outputs = self.model(
                input_ids=ids.to(device), attention_mask=mask.to(device), output_hidden_states=True
            )
        return torch.stack(outputs.hidden_states[-layers:], dim=2).float()

    def save(self, folder: Path) -> None:
        self.model.save_pretrained(folder, safe_serialization=True)
        self._tokeniser.save_pretrained(folder)


def _reduced(device: torch.device) -> AbstractContextManager[object]:
    """Products in 16 bits where vectors are only read: they are kept in no more. Training chooses itself."""
    if torch.is_grad_enabled():
        return nullcontext()
    return torch.autocast(device.type, torch.bfloat16, enabled=multiplies_bfloat16(device))


def multiplies_bfloat16(device: torch.device) -> bool:
    """Whether a processor has bfloat16 itself: where torch imitates it, it is several times slower."""
    if device.type != "cpu":
        return True
    capabilities = getattr(torch.cpu, "get_capabilities", None)  # older versions do not tell
    return capabilities is not None and any(
        has and name.endswith("bf16") for name, has in capabilities().items()
    )


class CachedVectors:
    """The vectors of a model that is not trained, in files of a directory, which are mapped into memory."""

    def __init__(self, model: LanguageModel, layers: int, folder: Path) -> None:
        self._model = model
        self._layers = layers
        self._folder = folder
        self._digest = f"{model.digest()} {layers}"

    def __call__(self, sentences: Sequence[Sequence[str]]) -> FloatArray:
        """[T, L * D] as `LanguageModel.vectors` gives them, computed once for a text."""
        content = json.dumps([self._digest, [list(sentence) for sentence in sentences]])
        path = self._folder / f"{hashlib.sha256(content.encode()).hexdigest()[:32]}.npy"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            with write_atomically(path, "wb") as stream:
                offsets = offsets_of(sentences)
                shape = (int(offsets[-1]), self._layers * self._model.width)
                header = {"descr": "<f2", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(cast(IO[bytes], stream), header)
                for first in range(0, len(sentences), SENTENCES_AT_ONCE):
                    some = sentences[first : first + SENTENCES_AT_ONCE]
                    stream.write(self._model.vectors(some, self._layers).tobytes())
        with broken_file(path, "remove it"):
            return cast(FloatArray, np.load(path, mmap_mode="c"))


def _of_similar_length(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Groups of texts, by their numbers, that waste little when they are padded to one length."""
    group: list[int] = []
    for number in np.argsort(lengths, kind="stable").tolist():
        if group and (len(group) + 1) * lengths[number] > PIECES_AT_ONCE:
            yield group
            group = []
        group.append(number)
    if group:
        yield group
