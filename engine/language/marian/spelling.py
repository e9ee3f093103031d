"""SentencePiece vocabularies of translation models: text to tokens and back, by Google's library."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import ModelError
from engine.language.marian.stored import Shape
from engine.weights.model_folder import read_json
from engine.weights.safetensors import ADVICE

_SOURCES = ("source.spm", "srcvocab*.spm", "vocab*.spm")
_TARGETS = ("target.spm", "trgvocab*.spm", "vocab*.spm")
_UNKNOWN = "<unk>"
_SPACE = "\u2581"


class Spelling:
    """The pieces of a model's source and target languages, and their tokens."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        """Load the vocabularies of a folder. Raises ModelError if one is missing, damaged or another model's."""
        self._end = shape.end
        source, target = _one(folder, _SOURCES), _one(folder, _TARGETS)
        self._source = _loaded(source)
        self._target = self._source if target == source else _loaded(target)
        known = folder / "vocab.json"
        self._ids = _ids(known) if known.is_file() else None
        if self._ids is not None:
            most = min(shape.source_tokens, shape.target_tokens)
            if len(self._ids) > most or max(self._ids.values(), default=0) >= most:
                raise ModelError(f"{known} knows more tokens than its model. They do not belong together.")
            self._pieces = {token: piece for piece, token in self._ids.items()}
            self._unknown = self._ids.get(_UNKNOWN, 1)
        else:
            for file, pieces, tokens in (
                (source, self._source, shape.source_tokens),
                (target, self._target, shape.target_tokens),
            ):
                if pieces.get_piece_size() != tokens or pieces.eos_id() != shape.end:
                    raise ModelError(
                        f"{file} knows {pieces.get_piece_size()} pieces, its model {tokens} tokens. They do not belong "
                        "together."
                    )

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a source, without an end."""
        if self._ids is None:
            return [int(token) for token in self._source.encode(text)]
        return [self._ids.get(piece, self._unknown) for piece in self._source.encode(text, out_type=str)]

    def word_starts(self, tokens: Sequence[int]) -> list[int]:
        """Return the places where words of a source begin; all places of one that has no spaces."""
        pieces = [self._pieces.get(token, "") if self._ids else self._source.id_to_piece(token) for token in tokens]
        starts = [place for place, piece in enumerate(pieces) if piece.startswith(_SPACE) or place == 0]
        return starts if len(starts) > 1 else list(range(len(pieces)))

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of a translation's tokens."""
        plain = [token for token in tokens if token != self._end]
        if self._ids is None:
            text = self._target.decode(plain)
        else:
            text = self._target.decode([self._pieces.get(token, "") for token in plain])
        return str(text)


def _one(folder: Path, patterns: tuple[str, ...]) -> Path:
    """Return the vocabulary that fits the first of some patterns."""
    for pattern in patterns:
        found = sorted(folder.glob(pattern))
        if len(found) > 1:
            raise ModelError(f"{folder} holds several vocabularies: {', '.join(each.name for each in found)}.")
        if found:
            return found[0]
    raise ModelError(
        f"{folder} has no SentencePiece vocabulary ({' or '.join(patterns)}). Copy it there: it belongs to the model."
    )


def _loaded(path: Path) -> Any:
    from sentencepiece import SentencePieceProcessor

    try:
        return SentencePieceProcessor(model_proto=path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.") from error
    except RuntimeError as error:
        raise ModelError(f"{path} is damaged: it is no vocabulary of SentencePiece. {ADVICE}") from error


def _ids(path: Path) -> dict[str, int]:
    ids = read_json(path)
    if not all(isinstance(token, int) and not isinstance(token, bool) and token >= 0 for token in ids.values()):
        raise ModelError(f"{path} is damaged: it gives other things than numbers to pieces. {ADVICE}")
    return ids
