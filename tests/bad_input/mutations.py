"""Ways of spoiling a file: cut, stretched, overwritten, swapped; and JSON with other values in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

MOST_BYTES = 400_000

_ODD_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 2**70, -(2**63), 1e308, float("nan"), float("inf"), "", "x" * 5000, "\ud800",
    "../../etc/passwd", "{{ cycler.__init__.__globals__ }}", "\0", [], {}, [[]] * 50, {"": {}}, "−∞", "true", [1, "a"],
)  # fmt: skip
_ODD_NUMBERS = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1)


def spoilt(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """Spoil a file in one to three ways; `others` are files of other kinds."""
    for _ in range(random.choice((1, 1, 2, 3))):
        if data[:1] in (b"{", b"[") and random.random() < 0.6:
            data = _other_value(data, random)
        elif random.random() < 0.03:
            data = random.choice(others)
        else:
            data = random.choice(_WAYS)(data, random)
    return data


def _place(data: bytes, random: Random) -> int:
    """Choose a place, half of the time near the beginning, where headers are."""
    if random.random() < 0.5:
        return random.randrange(min(len(data), 256) + 1)
    return random.randrange(len(data) + 1)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _stretched(data: bytes, random: Random) -> bytes:
    return data + random.randbytes(random.choice((1, 4, 100, 5000)))


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 2, 8, 64)) if data else 0):
        changed[min(_place(data, random), len(data) - 1)] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwritten(data: bytes, random: Random) -> bytes:
    begin, length = _place(data, random), random.choice((1, 4, 16, 300))
    filling = random.choice((b"\0" * length, b"\xff" * length, random.randbytes(length)))
    return data[:begin] + filling + data[begin + length :]


def _numbered(data: bytes, random: Random) -> bytes:
    begin, size = _place(data, random), random.choice((1, 2, 4, 8))
    number = random.choice(_ODD_NUMBERS) % (1 << (8 * size))
    return data[:begin] + number.to_bytes(size, random.choice(("little", "big"))) + data[begin + size :]


def _without_a_part(data: bytes, random: Random) -> bytes:
    begin = _place(data, random)
    return data[:begin] + data[begin + random.choice((1, 7, 64, 4000)) :]


def _with_a_part_twice(data: bytes, random: Random) -> bytes:
    begin = _place(data, random)
    part = data[begin : begin + random.choice((1, 16, 1000))]
    return (data[:begin] + part * random.choice((2, 50)) + data[begin:])[: max(len(data), MOST_BYTES)]


def _nothing(data: bytes, random: Random) -> bytes:
    return random.choice((b"", b"\0", b"{}", b"[]", b"null", random.randbytes(600)))


_WAYS: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut, _stretched, _flipped, _flipped, _overwritten, _numbered, _numbered, _without_a_part, _with_a_part_twice,
    _nothing,
)  # fmt: skip


def _other_value(data: bytes, random: Random) -> bytes:
    """Put an odd value, or none, in some place of a JSON file; a file that is no JSON any more is cut."""
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        return _cut(data, random)
    inner, parent, key = whole, None, None
    while isinstance(inner, (dict, list)) and inner and (parent is None or random.random() < 0.8):
        parent, key = inner, random.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        inner = parent[key]
    if parent is None:
        return b"[" * random.choice((10, 100_000))
    if random.random() < 0.25:
        del parent[key]
    elif random.random() < 0.05:
        return json.dumps(whole).encode().replace(b":", b":" + b"[" * 50_000, 1)
    else:
        parent[key] = random.choice(_ODD_VALUES)
    return json.dumps(whole).encode()
