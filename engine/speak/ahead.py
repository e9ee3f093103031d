"""Speech made ahead: the beginnings of sentences that may be needed, kept where they stopped."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from itertools import count

from engine.audio import Samples
from engine.errors import VoiceError
from engine.speak.choice import language_of
from engine.speak.joining import trimmed
from engine.speak.reading import read_aloud
from engine.speak.voice import Utterance, Voice, in_chunks, plain_text

BEGINNING_SECONDS = 0.5
MOST_KEPT_SECONDS = 120.0


class _Kept:
    """A sentence as far as it is made."""

    def __init__(self, source: Utterance, rate_hz: int) -> None:
        self._source = source
        self._rate_hz = rate_hz
        self._chunks = in_chunks(trimmed(source, rate_hz), rate_hz)
        self.chunks: list[Samples] = []
        self.seconds = 0.0
        self.whole = False

    def make_more(self) -> bool:
        """Make the next chunk; False at the end."""
        chunk = next(self._chunks, None)
        if chunk is None:
            self.whole = True
            return False
        self.chunks.append(chunk)
        self.seconds += len(chunk) / self._rate_hz
        return True

    def close(self) -> None:
        self._source.close()


class SpeechAhead:
    """A voice that remembers: what was made of a sentence is not made again. All methods are for one thread.

    Sentences are kept by the voice's name, which holds speaker and rate, and by their text, the least lately used
    given up first once there are more than MOST_KEPT_SECONDS of sound.

    Attributes:
        voice: what speaks.
        prepared: sentences that were begun before they were needed.
        used: sentences that were taken when their beginning had been made.
        made_seconds: sound that was made.
    """

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.prepared = 0
        self.used = 0
        self.made_seconds = 0.0
        self._kept: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    def prepare(self, sentence: str) -> None:
        """Make the sentence's first BEGINNING_SECONDS of sound, if they are not made.

        Where the voice fails nothing is kept: it is asked again when the sentence is taken.
        """
        if self.made(sentence):
            return
        kept = self._begun(sentence)
        self.prepared += 1
        try:
            while kept.seconds < BEGINNING_SECONDS and self._make_more(sentence, kept):
                pass
        except VoiceError:
            pass  # and so it is forgotten

    def made(self, sentence: str) -> bool:
        """Tell whether its beginning is made, or all of it if it is shorter."""
        kept = self._kept.get(self._key(sentence))
        return kept is not None and (kept.whole or kept.seconds >= BEGINNING_SECONDS)

    def take(self, sentence: str) -> Generator[Samples, None, None]:
        """Speak the sentence from its beginning: what was made comes at once, then it goes on where it stopped.

        Closed early it keeps what it made. The silence before and after the sentence is cut.

        Raises VoiceError, with the first chunk or a later one, where the voice fails; what was made is forgotten then.
        """
        self.used += self.made(sentence)
        return self._read(sentence, self._begun(sentence))

    def close(self) -> None:
        """Give up all that is being made, and forget all that was."""
        for kept in self._kept.values():
            kept.close()
        self._kept.clear()

    def _key(self, sentence: str) -> tuple[str, str]:
        return self.voice.name, plain_text(sentence)

    def _begun(self, sentence: str) -> _Kept:
        key = self._key(sentence)
        if key not in self._kept:
            written = read_aloud(sentence, language_of(self.voice))
            self._kept[key] = _Kept(self.voice.speak(written), self.voice.rate_hz)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _read(self, sentence: str, kept: _Kept) -> Generator[Samples, None, None]:
        for position in count():
            if position == len(kept.chunks) and not self._make_more(sentence, kept):
                return
            yield kept.chunks[position]

    def _make_more(self, sentence: str, kept: _Kept) -> bool:
        before = kept.seconds
        try:
            more = kept.make_more()
        except BaseException:
            self._forget(sentence, kept)
            raise
        self.made_seconds += kept.seconds - before
        self._make_room(kept)
        return more

    def _forget(self, sentence: str, kept: _Kept) -> None:
        if self._kept.get(self._key(sentence)) is kept:
            del self._kept[self._key(sentence)]

    def _make_room(self, needed: _Kept) -> None:
        """Give up what was used longest ago, but not what is being made. Whoever reads it goes on with it."""
        while len(self._kept) > 1 and sum(kept.seconds for kept in self._kept.values()) > MOST_KEPT_SECONDS:
            key, kept = next(iter(self._kept.items()))
            if kept is needed:
                self._kept.move_to_end(key)
                continue
            del self._kept[key]
