"""Word vector files: word2vec text and binary, GloVe, fastText .vec, compressed or not; and npz.

gensim is not used, so that training needs no more than torch and errors name the line.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fofe.base.arrays import FloatArray
from fofe.base.errors import InputError, in_file
from fofe.base.files import DECOMPRESSION_ERRORS, decode_utf8, open_compressed, write_atomically
from fofe.base.report import Report, counted

WORD_LIMIT = 10_000
"""A longer "word" in a binary file means that its header does not fit what follows."""
_KINDS = "give a word2vec, GloVe or fastText file"


@dataclass(frozen=True)
class WordVectors:
    """Words, most frequent first, and their vectors [V, D]."""

    words: list[str]
    vectors: FloatArray

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])


def read_vectors(path: str | Path) -> WordVectors:
    """Read a word vector file; its kind is recognised from its content."""
    with in_file(path):
        try:
            return _read(path)
        except DECOMPRESSION_ERRORS as error:
            raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _read(path: str | Path) -> WordVectors:
    with open_compressed(path) as stream:
        first = stream.readline(WORD_LIMIT * 10)
        rest = stream.read(4096)
    if first.startswith(b"PK\x03\x04"):
        return _read_npz(path)
    if not first.strip():
        raise InputError("is empty", remedy=_KINDS)
    # GloVe's first line does not state the number of words and dimensions.
    fields = first.split()
    stated = len(fields) == 2 and all(field.isdigit() and len(field) < 20 for field in fields)
    header = (int(fields[0]), int(fields[1])) if stated else None
    if header is not None and header[0] == 0:
        raise InputError("its header says 0 words", line=1, remedy="correct it")
    if header is None or _is_text(rest, header[1]):
        return _read_text(path, header)
    return _read_binary(path, *header)


def _read_npz(path: str | Path) -> WordVectors:
    """An npz file with `words`, their bytes in UTF-8, a line each, and `vectors` [V, D]."""
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as arrays:
            words = arrays["words"].astype(np.uint8, casting="equiv").tobytes().decode("utf-8").split("\n")
            vectors = arrays["vectors"].astype(np.float32)
    except Exception as error:  # zipfile and NumPy raise errors of all kinds
        problem = f"is not an npz file of word vectors: {error}"
        raise InputError(problem, remedy="write it with fofe vectors convert") from None
    if vectors.ndim != 2 or len(words) != len(vectors):
        problem = f"has {counted(len(words), 'words')} and vectors of shape {list(vectors.shape)}"
        raise InputError(problem, remedy="write it again")
    return _distinct(words, vectors)


def _is_text(sample: bytes, dimension: int) -> bool:
    """True if the data after a header looks like a line of numbers."""
    fields = sample.split(b"\n", 1)[0].split()[1:]
    try:
        [float(field) for field in fields[: min(dimension, 5)]]
    except ValueError:
        return False
    return bool(fields)


def _read_binary(path: str | Path, count: int, dimension: int) -> WordVectors:
    with open_compressed(path) as stream:
        stream.readline()
        data = stream.read()
    size = 4 * dimension
    words: list[str] = []
    # No more rows than there are bytes for: a wrong header must not ask for all memory.
    rows = min(count, len(data) // (size + 1))
    vectors = np.empty((rows, dimension if rows else 0), dtype=np.float32)
    position = 0
    for row in range(count):
        space = data.find(b" ", position, position + WORD_LIMIT)
        if space < 0 or space + 1 + size > len(data):
            problem = f"ends or breaks in word {row + 1} of the {count} x {dimension} of its header"
            raise InputError(problem, remedy="check the header, or fetch the file again")
        words.append(data[position:space].lstrip(b"\n").decode("utf-8", "replace"))
        vectors[row] = np.frombuffer(data, dtype="<f4", count=dimension, offset=space + 1)
        position = space + 1 + size
    if data[position:].strip(b"\n"):
        problem = f"goes on after the {counted(count, 'words')} of its header"
        raise InputError(problem, remedy="correct the header")
    return _distinct(words, vectors)


def _read_text(path: str | Path, header: tuple[int, int] | None) -> WordVectors:
    words: list[str] = []
    rows: list[FloatArray] = []
    dimension = header[1] if header else None
    with open_compressed(path) as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip() or (header and number == 1):
                continue
            word, _, numbers = decode_utf8(line, path, number).rstrip("\r\n ").partition(" ")
            fields = numbers.split()
            dimension = len(fields) if dimension is None else dimension
            # A word may contain spaces (some GloVe files): the vector comes last.
            spare = max(0, len(fields) - dimension)
            row = _numbers(fields[spare:])
            if not rows and not header and not row.size:
                problem = "a word and its numbers were expected, so this is no file of word vectors"
                raise InputError(problem, line=number, remedy=_KINDS)
            if len(row) != dimension or dimension == 0 or (spare and len(_numbers(fields[:spare]))):
                wanted, found = counted(dimension, "numbers"), counted(len(fields), "fields")
                problem = f"a word and {wanted} were expected, not a word and {found}"
                raise InputError(problem, line=number, remedy="correct the line or the header")
            words.append(" ".join([word, *fields[:spare]]))
            rows.append(row)
    if header and len(words) != header[0]:
        problem = f"its header says {counted(header[0], 'words')}, not {len(words)}"
        raise InputError(problem, line=1, remedy="correct it")
    return _distinct(words, np.array(rows, dtype=np.float32).reshape(len(words), dimension or 0))


def _numbers(fields: list[str]) -> FloatArray:
    """[D] the fields as numbers; none if any is not a number."""
    try:
        return np.array(fields, dtype=np.float32)
    except ValueError:
        return np.zeros(0, dtype=np.float32)


def _distinct(words: list[str], vectors: FloatArray) -> WordVectors:
    """Keep the first of words that occur twice (some files cut long words to the same form)."""
    first: dict[str, int] = {}
    for row, word in enumerate(words):
        first.setdefault(word, row)
    if len(first) == len(words):
        return WordVectors(words, vectors)
    return WordVectors(list(first), vectors[list(first.values())])


def write_vectors(vectors: WordVectors, path: str | Path, kind: str, report: Report | None = None) -> None:
    """Write vectors as `text`, `binary` or `npz`; words with white space are counted and left out.

    The text and binary kinds are word2vec's; numbers are written so that they read back the same.
    """
    report = Report() if report is None else report
    kept = []
    for row, word in enumerate(vectors.words):
        if word and not any(map(str.isspace, word)):
            kept.append(row)
        else:
            report.note("words with white space left out, which no such file can hold", repr(word))
    if len(kept) < len(vectors.words):
        vectors = WordVectors([vectors.words[row] for row in kept], vectors.vectors[kept])
    words, rows = vectors.words, vectors.vectors
    with write_atomically(path, "wb") as stream:
        if kind == "npz":
            np.savez(stream, words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8), vectors=rows)
            return
        stream.write(f"{len(words)} {vectors.dimension}\n".encode())
        for word, row in zip(words, rows, strict=True):
            numbers = row.astype("<f4").tobytes() if kind == "binary" else " ".join(map(str, row)).encode()
            stream.write(f"{word} ".encode() + numbers + b"\n")
