"""A conversation as it is held: a microphone, a session and a loudspeaker at once.

The microphone is listened to on a thread of its own, so that the assistant falls silent as soon as it is spoken over,
whatever is being computed meanwhile.
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
"""How often the key, Ctrl-C and the loudspeaker are looked at while nothing happens."""


class LiveConversation:
    """A conversation while sound comes in and goes out: the events of a session, and what they need in time.

    Attributes:
        on_settled: called when no turn that is over can be taken up again.
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
        """Hear chunks, which come at the pace of speech, and listen for interruptions if there is `barge_in`.

        `key_presses` tells how often the key of push-to-talk was pressed since it was asked last; `news` takes what
        happens to the source, in sentences that are to be told.
        """
        self.on_settled: Callable[[], None] = lambda: None
        self._session = session
        self._loudspeaker = loudspeaker
        self._key_presses = key_presses
        self._news = deque() if news is None else news
        self._talking = False
        self._over_at: float | None = None  # when the newest turn was, unless it was taken up again or interrupted
        self._ears = MicrophoneListener(chunks, loudspeaker, barge_in)

    def events(self, interruption: Interruption) -> Iterator[TurnEvent | Incident]:
        """Converse until the sound ends or Ctrl-C asks for an end; then the reply is said to its end, or stopped.

        Raises:
            AudioError: the sound broke off; what was said until then has been answered.
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
        """Take what has come, decide, and work for the time of a forward."""
        session = self._session
        while self._news:
            yield Incident(self._news.popleft())
        for _ in range(self._key_presses()):
            self._turn_key()
        for item in self._ears.take():
            if isinstance(item, SpokenOver):
                yield from self._interrupt(item)
            else:
                session.add_audio(item)
        session.played(self._loudspeaker.played_seconds)
        yield from session.update()
        if (event := session.work()) is not None:
            yield event

    def _interrupt(self, over: SpokenOver) -> Iterator[TurnEvent | Incident]:
        """The loudspeaker was hushed: let go of the sound that is under way to it, then let it play again."""
        yield from self._session.update()  # what was heard until then belongs to what was spoken over
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
        """A turn is settled when its reply was said to its end, and all was heard that could have gone on with it."""
        if self._over_at is None or self._loudspeaker.playing or self._loudspeaker.hushed:
            return
        if min(self._session.clock.now(), self._session.audio_seconds) > self._over_at + REOPEN_SECONDS:
            self._over_at = None
            self.on_settled()


class MicrophoneListener:
    """A source of sound read by a thread, which silences the loudspeaker when the user speaks over it.

    Attributes:
        failure: why the source broke off, if it did.
    """

    def __init__(self, chunks: Iterable[Samples], loudspeaker: Loudspeaker, barge_in: BargeIn | None) -> None:
        """Read chunks from `start` on, and notice who speaks over the loudspeaker if there is `barge_in`."""
        self.failure: AudioError | None = None
        self._chunks = chunks
        self._loudspeaker = loudspeaker
        self._watch = BargeInWatch(loudspeaker, barge_in)
        self._items: queue.SimpleQueue[Samples | SpokenOver] = queue.SimpleQueue()
        self._come = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Tell whether nothing more will come, and all that came was taken."""
        return self._thread.ident is not None and not self._thread.is_alive() and self._items.empty()

    def wait(self, seconds: float) -> None:
        """Wait until there is something to take, but no longer than this."""
        self._come.wait(seconds)

    def join(self) -> None:
        """Return when the source has ended."""
        self._thread.join()

    def take(self) -> Iterator[Samples | SpokenOver]:
        """Give what has come, in order."""
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
