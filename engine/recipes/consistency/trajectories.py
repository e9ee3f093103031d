"""How a model's replies come to stand under Jacobi decoding, block by block, as decoding itself meets them; kept in a
file, for a reply of a large model takes seconds."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.answer.jacobi import JacobiBlock
from engine.errors import ModelError
from engine.language.drafts import Guesser
from engine.language.language_model import LanguageModel
from engine.language.speculative_decoding import SpeculativeSession

FILE = "trajectories.jsonl"


@dataclass(frozen=True, slots=True)
class Block:
    """Places of a reply that were corrected together.

    Attributes:
        begin: how many tokens of the reply stood before them.
        points: what was read in these places, forward by forward; the first is drawn at random. Each is a token shorter
            than the block, whose last token nothing in it depends on, or more where the model had ended the reply.
    """

    begin: int
    points: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class JacobiReply:
    """A reply with the blocks that it was found in.

    Attributes:
        tokens: of the reply, which are those of plain greedy decoding; the token that ends it is the last, unless it
            was cut off.
        forwards: of the model, the one that read the prompt among them.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    blocks: tuple[Block, ...]
    forwards: int


class RecordedBlocks:
    """Guesses as JacobiBlock does, and notes what was guessed; a block ends where it was to end when it was drawn."""

    def __init__(self, prompt: Sequence[int], block_tokens: int, ends: Collection[int]) -> None:
        """Take what JacobiBlock takes; there is no draft."""
        self._guesser = JacobiBlock(prompt, (), block_tokens, ends)
        self._block_tokens = block_tokens
        self._goes_on = False  # whether the next guess is of the block that the last one was of
        self.begins: list[int] = []
        self.points: list[list[tuple[int, ...]]] = []
        self.next_token: int | None = None  # what the reply goes on with, or ends with
        self.offered = self.kept = 0

    def guess(self, answer: Sequence[int], room: int) -> list[int]:
        """Give the block as it stands."""
        if not self._goes_on:
            self.begins.append(len(answer))
            self.points.append([])
        guess = self._guesser.guess(answer, min(room, self.begins[-1] + self._block_tokens - 1 - len(answer)))
        self.offered = self._guesser.offered
        self.points[-1].append((*answer[self.begins[-1] :], *guess))
        return guess

    def judge(self, kept: int, best: Sequence[int]) -> None:
        """Let the block be corrected."""
        self._guesser.judge(kept, best)
        self.kept = self._guesser.kept
        self._goes_on = len(best) > kept + 1
        self.next_token = best[kept]


class JacobiReader:
    """Makes a model reply by Jacobi decoding. One thread at a time may use it."""

    def __init__(self, model: LanguageModel, block_tokens: int, most_tokens: int) -> None:
        """Take the tokens of a block, at least 2, and the most of a reply."""
        self._model = model
        self._block_tokens = block_tokens
        self._most_tokens = most_tokens
        self._recorded: RecordedBlocks | None = None
        self._session = SpeculativeSession(model, guesser=self._guesser)

    def _guesser(self, prompt: Sequence[int], rest: Sequence[int], best: Sequence[int]) -> Guesser:
        self._recorded = RecordedBlocks(prompt, self._block_tokens, self._model.end_tokens)
        return self._recorded

    def reply(self, prompt: Sequence[int]) -> JacobiReply:
        """Reply to a prompt of at least one token."""
        made = self._session.update(prompt, max_tokens=self._most_tokens)
        recorded = self._recorded
        assert made is not None and recorded is not None  # nothing cancels it
        ended = made.ended == "end" and recorded.next_token is not None
        tokens = (*made.tokens, *([recorded.next_token] if ended and recorded.next_token is not None else ()))
        found = zip(recorded.begins, recorded.points, strict=True)
        blocks = tuple(Block(begin, tuple(points)) for begin, points in found)
        return JacobiReply(tuple(prompt), tokens, blocks, made.forwards)


class TrajectoryFile:
    """Replies in a run's folder, a line each, behind a line that says what they are of."""

    def __init__(self, folder: Path, about: dict[str, object]) -> None:
        """Take what decides the replies: the model's fingerprint and the options."""
        self._path = folder / FILE
        self._about = about

    def begin(self, resume: bool) -> list[JacobiReply]:
        """Start the file anew, or give what it holds. ModelError where that is of something else."""
        found = list(self._read()) if resume and self._path.is_file() else []
        self._path.parent.mkdir(parents=True, exist_ok=True)
        partial = self._path.with_suffix(".partial")
        partial.write_text("".join(_line(record) for record in (self._about, *map(asdict, found))), encoding="utf-8")
        partial.replace(self._path)  # without the line that was being written when the run was stopped
        return found

    def add(self, reply: JacobiReply) -> None:
        """Write one more."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(asdict(reply)))

    def _read(self) -> Iterator[JacobiReply]:
        lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
        if not lines or json.loads(lines[0]) != self._about:
            raise ModelError(
                f"The trajectories in {self._path} are of another model, other data or other options. Train without "
                "--resume, or in another folder."
            )
        for line in lines[1:]:
            if line.endswith("\n"):
                yield _reply(json.loads(line))


def _line(record: dict[str, object]) -> str:
    return json.dumps(record, separators=(",", ":")) + "\n"


def _reply(record: dict[str, list[int]]) -> JacobiReply:
    blocks = tuple(
        Block(int(block["begin"]), tuple(map(tuple, block["points"])))  # type: ignore[index]
        for block in record["blocks"]
    )
    return JacobiReply(tuple(record["prompt"]), tuple(record["tokens"]), blocks, record["forwards"])  # type: ignore
