"""Notes in the engine process, made in the time in which nothing is heard, translated or answered."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from engine.errors import EngineError, error_sentence
from engine.notes.records import CHOSEN, Notes
from engine.process.loading import beside
from engine.process.messages import Event, MakeNotes, NotesMade

if TYPE_CHECKING:
    from engine.language.answering import AnyAnsweringModel
    from engine.notes.writer import NoteSteps, NotesWriter

MOST_SUBJECTS = 3
"""Number of transcripts whose writers are kept, with all that they have read."""


class NotesWork:
    """Writes the notes of the newest request of each subject, one after the other."""

    def __init__(
        self,
        send: Callable[[Event], None],
        load: Callable[[str], AnyAnsweringModel],
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        """Send notes by `send`.

        Arguments:
            load: loads a language model by its name; called on a thread of its own.
            wake: called on that thread when there is something to do again.
        """
        self._send = send
        self._load = load
        self._wake = wake
        self._wanted: dict[str, MakeNotes] = {}
        self._writers: dict[tuple[str, str], NotesWriter] = {}
        self._loading: tuple[str, Future[AnyAnsweringModel]] | None = None  # a model, by its name
        self._awaited: Future[AnyAnsweringModel] | None = None  # by the notes under way
        self._request: MakeNotes | None = None  # under way
        self._steps: NoteSteps | None = None

    @property
    def busy(self) -> bool:
        """Return whether there are notes to write now; there are none while a model is loaded for them."""
        if self._awaited is not None:
            return self._awaited.done()
        return self._request is not None or bool(self._wanted)

    def take(self, request: MakeNotes) -> None:
        """Write notes of these lines, in place of an earlier request about the same subject."""
        self._wanted[request.subject] = request
        if self._request is not None and self._request.subject == request.subject:
            self._end()

    def work(self) -> None:
        """Write for the time of one forward, or of reading a few lines."""
        try:
            if self._steps is None:
                self._request = self._wanted.pop(next(iter(self._wanted)))
                self._steps = self._written(self._request)
            next(self._steps)
        except StopIteration as end:
            self._tell(end.value)
        except EngineError as error:
            self._tell(Notes(), str(error))
        except Exception as error:  # whatever a model may raise: captions go on
            self._tell(Notes(), error_sentence(error))

    def _tell(self, notes: Notes, problem: str = "") -> None:
        from engine.notes.ground import supported

        request = self._request
        assert request is not None, "nothing was asked for"
        self._end()
        self._loading = None  # by others it is asked for again
        self._send(NotesMade(request.subject, supported(notes, request.lines), problem))

    def _end(self) -> None:
        if self._steps is not None:
            self._steps.close()
        self._request = self._steps = self._awaited = None

    def _written(self, request: MakeNotes) -> NoteSteps:
        """Write with the writer that has read the subject before, or else with another one."""
        key = request.subject, request.writer
        writer = self._writers.pop(key, None) or (yield from self._made(request.writer))
        self._writers[key] = writer
        while len(self._writers) > MOST_SUBJECTS:
            del self._writers[next(iter(self._writers))]
        return (yield from writer.write(request.lines, request.template))

    def _made(self, name: str) -> Generator[None, None, NotesWriter]:
        """Make a writer, with one pause in which its model is loaded beside all else."""
        from engine.notes.extractive import ExtractiveWriter

        if name == CHOSEN:
            return ExtractiveWriter()
        from engine.notes.generative import GenerativeWriter

        if self._loading is None or self._loading[0] != name:
            self._loading = name, beside(partial(self._load, name), self._wake)
        model = self._awaited = self._loading[1]
        yield
        self._awaited = None
        return GenerativeWriter(model.result())
