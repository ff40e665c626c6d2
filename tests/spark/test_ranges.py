from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fofe.base.errors import InputError
from fofe.spark import cut_up, read_range
from fofe.tagging.sources import TEXT_LINES, Source


@given(st.lists(st.binary(max_size=12), min_size=1, max_size=3), st.integers(1, 9))
def test_ranges_give_every_line_once_with_its_number(
    tmp_path_factory: pytest.TempPathFactory, contents: list[bytes], size: int
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    paths = []
    for number, content in enumerate(contents):
        path = folder / str(number)
        path.write_bytes(content.replace(b"\x00", b"\n"))
        paths.append(str(path))
    found = [
        (path, *line)
        for path in paths
        for part in cut_up(Source(path, TEXT_LINES), size)
        for line in read_range(part)
    ]
    expected = [
        (path, number, line)
        for path in paths
        for number, line in enumerate(BytesIO(Path(path).read_bytes()), start=1)
    ]
    assert found == expected


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match="nowhere"):
        list(cut_up(Source("nowhere", TEXT_LINES), 9))
