"""Hearing that is done once for all ways of answering: every way hears the same, in the same time."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from cattrs import Converter

from engine.audio import Samples
from engine.clock import Timer
from engine.events import Hypothesis, Reference
from engine.hear.recognizer import Recognizer, Stage
from lab.bench.errors import BenchError

_CONVERTER = Converter(detailed_validation=False)


class HeardSpan(NamedTuple):
    """Hypothesis of a span of audio, and how long hearing it took, in seconds."""

    hypothesis: Hypothesis
    seconds: float


class HeardOnce(Recognizer):
    """A recognizer that remembers what it heard of a span of audio, and the time that it took.

    Attributes:
        again: how often something was remembered.
    """

    def __init__(self, recognizer: Recognizer, timer: Timer, file: Path | None = None) -> None:
        """Hear with a recognizer, and keep what was heard in a file, if one is given.

        Raises:
            BenchError: the file holds something else.
        """
        self.languages: tuple[str, ...] = recognizer.languages
        self.buffer_seconds = recognizer.buffer_seconds
        self.again = 0
        self._recognizer = recognizer
        self._timer = timer
        self._remembered_seconds = 0.0
        self._file = file
        self._known: dict[str, HeardSpan] = {}
        self._ends: dict[str, float | None] = {}
        if file is not None and file.exists():
            self._read(file)

    def timer(self) -> float:
        """Return the time that was measured, and that of what was remembered, in seconds."""
        return self._timer() + self._remembered_seconds

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = Reference(),  # noqa: B008 (frozen)
    ) -> Hypothesis:
        """Hear a span, or remember it; the time that it took passes on `timer` in either case."""
        about = repr((offset_seconds, prompt, language, final, reference))
        key = sha256(samples.tobytes() + about.encode()).hexdigest()[:32]
        if (found := self._known.get(key)) is not None:
            self.again += 1
            self._remembered_seconds += found.seconds
            return found.hypothesis
        started = self._timer()
        hypothesis = self._recognizer.hear(
            samples, offset_seconds=offset_seconds, prompt=prompt, language=language, final=final, reference=reference
        )
        found = self._known[key] = HeardSpan(hypothesis, self._timer() - started)
        self._keep({"key": key, "seconds": found.seconds, "heard": _CONVERTER.unstructure(hypothesis)})
        return hypothesis

    def end_of(self, samples: Samples, find: Callable[[], float | None]) -> float | None:
        """Return when the last word of a recording (n,) ends, in seconds, by a function that is called once."""
        key = sha256(samples.tobytes()).hexdigest()[:32]
        if key not in self._ends:
            self._ends[key] = find()
            self._keep({"key": key, "end": self._ends[key]})
        return self._ends[key]

    def stages(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool,
        reference: Reference,
    ) -> Generator[Stage, None, Hypothesis]:
        """Hear a span without a pause."""
        yield from ()
        return self.hear(
            samples, offset_seconds=offset_seconds, prompt=prompt, language=language, final=final, reference=reference
        )

    def _keep(self, line: dict[str, object]) -> None:
        if self._file is not None:
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(line) + "\n")

    def _read(self, file: Path) -> None:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            try:
                record = json.loads(line)
                key = str(record["key"])
                if "end" in record:
                    self._ends[key] = None if record["end"] is None else float(record["end"])
                else:
                    heard = _CONVERTER.structure(record["heard"], Hypothesis)
                    self._known[key] = HeardSpan(heard, float(record["seconds"]))
            except Exception as error:  # whatever is wrong with a line, it is not ours
                raise BenchError(f"Line {number} of {file} holds nothing that was heard. Give another file.") from error
