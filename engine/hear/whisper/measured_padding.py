"""The best padding of models without a hush word, as measured: a small table by the model's fingerprint.

`earshot bench hush-word --adopt` writes one into the user's data folder; tables of some published models are shipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ModelError
from engine.hear.whisper.hush import SHIPPED, least_work, own_hush_words

if TYPE_CHECKING:
    from engine.hear.whisper.load import HearingModel


@dataclass(frozen=True, slots=True)
class MeasuredPadding:
    """The table of a model.

    Attributes:
        model: its name, for people.
        audio: a sentence about the test audio.
        word_errors, cut_errors, gmacs: by padding: the word error rate, that of speech which is cut off, and the
            computation of encoding.
    """

    model: str
    audio: str
    word_errors: Mapping[str, float]
    gmacs: Mapping[str, float]
    cut_errors: Mapping[str, float] = field(default_factory=dict)

    def best_padding(self) -> str:
        """Return the padding with the least computation among those with hardly more errors than the full window."""
        return least_work(self.word_errors, self.cut_errors, self.gmacs)


def find_measured_padding(hearing: HearingModel) -> MeasuredPadding | None:
    """Return a model's table: the user's own, else the shipped one; None without one. Raises ModelError if it is
    damaged.
    """
    for folder in (own_hush_words(), SHIPPED):
        path = folder / f"{hearing.fingerprint}.json"
        if path.is_file():
            return _load(path)
    return None


def save_measured_padding(hearing: HearingModel, measured: MeasuredPadding) -> Path:
    """Write a model's table to where it is found; return its path."""
    path = own_hush_words() / f"{hearing.fingerprint}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(measured), indent=2) + "\n", encoding="utf-8")
    partial.replace(path)
    return path


def _load(path: Path) -> MeasuredPadding:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        tables = (record["word_errors"], record["gmacs"], record.get("cut_errors", {}))
        return MeasuredPadding(
            str(record["model"]),
            str(record["audio"]),
            *({str(k): float(v) for k, v in each.items()} for each in tables),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{path} is damaged. Delete it; 'earshot bench hush-word --adopt' makes it again.") from error
