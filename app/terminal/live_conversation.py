"""A live conversation: a microphone, a session and a loudspeaker at once.

The microphone is read on a thread of its own, so that the assistant falls silent as soon as it is interrupted, even
during a computation.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from app.sound.loudspeaker import Loudspeaker
from app.sound.replies import BargeInWatch
from app.terminal.interruption import Interruption
from engine.assistant.turn_taking import REOPEN_SECONDS
from engine.audio import Samples
from engine.audio.barge_in import BargeIn, SpokenOver
from engine.errors import AudioError
from engine.events import Incident
from engine.turns import Heard, Interrupted, Turn, TurnEvent

if TYPE_CHECKING:
    from engine.assistant.assistant import AssistantSession

WAIT_SECONDS = 0.02
"""Interval at which the key, Ctrl-C and the loudspeaker are polled while nothing happens."""


class LiveConversation:
    """Runs a session with live input and output.

    Attributes:
        on_settled: called when no finished turn can be continued any more.
    """

    def __init__(
        self,
        session: AssistantSession,
        chunks: Iterable[Samples],
        loudspeaker: Loudspeaker,
        barge_in: BargeIn | None,
        *,
        key_presses: Callable[[], int] = lambda: 0,
        news: deque[str] | None = None,
    ) -> None:
        """Process chunks, which come in real time, and listen for interruptions if there is `barge_in`.

        `key_presses` returns how often the push-to-talk key was pressed since its last call; `news` receives sentences
        about the source.
        """
        self.on_settled: Callable[[], None] = lambda: None
        self._session = session
        self._loudspeaker = loudspeaker
        self._key_presses = key_presses
        self._news = deque() if news is None else news
        self._talking = False
        self._over_at: float | None = None  # end of the newest turn, unless it was continued or interrupted
        self._ears = MicrophoneListener(chunks, loudspeaker, barge_in)

    def events(self, interruption: Interruption) -> Iterator[TurnEvent | Incident]:
        """Yield events until the sound ends or Ctrl-C requests an end; then the reply is finished, or stopped.

        Raises:
            AudioError: the source broke off; everything said until then has been answered.
        """
        self._ears.start()
        while not interruption.asked and not self._ears.ended:
            self._ears.wait(0.0 if self._session.busy else WAIT_SECONDS)
            yield from self._noted(self._step())
            self._settle()
        if interruption.asked:
            self._session.stop(self._loudspeaker.hush())
            yield from self._session.update()
            return
        yield from self._noted(self._session.finish())
        yield from self._loudspeaker.drain(lambda: interruption.asked)
        if self._ears.failure is not None:
            raise self._ears.failure

    def _step(self) -> Iterator[TurnEvent | Incident]:
        """Process new input, decide, and compute for the time of one forward."""
        session = self._session
        while self._news:
            yield Incident(self._news.popleft())
        for _ in range(self._key_presses()):
            self._turn_key()
        for item in self._ears.read():
            if isinstance(item, SpokenOver):
                yield from self._interrupt(item)
            else:
                session.add_audio(item)
        session.played(self._loudspeaker.played_seconds)
        yield from session.update()
        if (event := session.work()) is not None:
            yield event

    def _interrupt(self, over: SpokenOver) -> Iterator[TurnEvent | Incident]:
        """Discard sound on its way to the silenced loudspeaker, then let it play again."""
        yield from self._session.update()  # earlier sound belongs to the interrupted reply
        self._session.interrupt(self._loudspeaker.played_seconds, over.samples)
        yield from self._session.update()
        self._loudspeaker.resume()

    def _turn_key(self) -> None:
        self._talking = not self._talking
        if self._talking:
            self._session.played(self._loudspeaker.hush())
            self._session.press()
            self._loudspeaker.resume()
        else:
            self._session.release()

    def _noted(self, events: Iterator[TurnEvent | Incident]) -> Iterator[TurnEvent | Incident]:
        for event in events:
            if isinstance(event, Turn):
                self._over_at = self._session.clock.now()
            elif isinstance(event, Heard | Interrupted):
                self._over_at = None
            yield event

    def _settle(self) -> None:
        """Report settled turns: the reply was played to its end, and no continuation was spoken in time."""
        if self._over_at is None or self._loudspeaker.playing or self._loudspeaker.hushed:
            return
        if min(self._session.clock.now(), self._session.audio_seconds) > self._over_at + REOPEN_SECONDS:
            self._over_at = None
            self.on_settled()


class MicrophoneListener:
    """A thread that reads a source, and silences the loudspeaker when the user speaks over it.

    Attributes:
        failure: why the source broke off, if it did.
    """

    def __init__(self, chunks: Iterable[Samples], loudspeaker: Loudspeaker, barge_in: BargeIn | None) -> None:
        """Prepare to read chunks, and detect interruptions if there is `barge_in`."""
        self.failure: AudioError | None = None
        self._chunks = chunks
        self._loudspeaker = loudspeaker
        self._watch = BargeInWatch(loudspeaker, barge_in)
        self._items: queue.SimpleQueue[Samples | SpokenOver] = queue.SimpleQueue()
        self._come = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Return whether nothing more will come, and everything was read."""
        return self._thread.ident is not None and not self._thread.is_alive() and self._items.empty()

    def wait(self, seconds: float) -> None:
        """Wait for new items, at most `seconds`."""
        self._come.wait(seconds)

    def join(self) -> None:
        """Wait for the end of the source."""
        self._thread.join()

    def read(self) -> Iterator[Samples | SpokenOver]:
        """Yield the items that have come, in order."""
        self._come.clear()
        while not self._items.empty():
            yield self._items.get()

    def _run(self) -> None:
        try:
            for chunk in self._chunks:
                self._put(chunk)
                if (over := self._watch.hear(chunk)) is not None:
                    self._loudspeaker.hush()
                    self._put(over)
        except AudioError as error:
            self.failure = error
        finally:
            self._come.set()

    def _put(self, item: Samples | SpokenOver) -> None:
        self._items.put(item)
        self._come.set()
