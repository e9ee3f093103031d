"""Speech synthesized ahead: the beginnings of sentences that may be needed, which can be resumed."""

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


class _PartlySpoken:
    """The part of a sentence that has been synthesized."""

    def __init__(self, source: Utterance, rate_hz: int) -> None:
        self._source = source
        self._rate_hz = rate_hz
        self._chunks = in_chunks(trimmed(source, rate_hz), rate_hz)
        self.chunks: list[Samples] = []
        self.seconds = 0.0
        self.whole = False

    def make_more(self) -> bool:
        """Synthesize the next chunk; return False at the end."""
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
    """A voice with a cache: no part of a sentence is synthesized twice. All methods are for one thread.

    Sentences are stored under the voice's name, which includes speaker and rate, and their text. The least recently
    used are dropped once there are more than MOST_KEPT_SECONDS of sound.

    Attributes:
        voice: the voice.
        prepared: number of sentences that were started before they were needed.
        used: number of sentences whose beginning was ready when they were spoken.
        made_seconds: seconds of synthesized sound.
    """

    def __init__(self, voice: Voice) -> None:
        self.voice = voice
        self.prepared = 0
        self.used = 0
        self.made_seconds = 0.0
        self._kept: OrderedDict[tuple[str, str], _PartlySpoken] = OrderedDict()

    def prepare(self, sentence: str) -> None:
        """Synthesize the sentence's first BEGINNING_SECONDS of sound, if that has not been done.

        If the voice fails, nothing is stored: it is asked again when the sentence is spoken.
        """
        if self.made(sentence):
            return
        kept = self._begun(sentence)
        self.prepared += 1
        try:
            while kept.seconds < BEGINNING_SECONDS and self._make_more(sentence, kept):
                pass
        except VoiceError:
            pass  # the sentence is not stored

    def made(self, sentence: str) -> bool:
        """Return whether its beginning is ready, or all of it if it is shorter."""
        kept = self._kept.get(self._key(sentence))
        return kept is not None and (kept.whole or kept.seconds >= BEGINNING_SECONDS)

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Speak the sentence: the prepared part comes at once, then synthesis resumes.

        A generator that is closed early keeps its part in the cache. The silence before and after the sentence is cut.

        Raises VoiceError, with the first chunk or a later one, if the voice fails; the sentence is dropped from the
        cache then.
        """
        self.used += self.made(sentence)
        return self._read(sentence, self._begun(sentence))

    def close(self) -> None:
        """Close all sentences in progress, and empty the cache."""
        for kept in self._kept.values():
            kept.close()
        self._kept.clear()

    def _key(self, sentence: str) -> tuple[str, str]:
        return self.voice.name, plain_text(sentence)

    def _begun(self, sentence: str) -> _PartlySpoken:
        key = self._key(sentence)
        if key not in self._kept:
            written = read_aloud(sentence, language_of(self.voice))
            self._kept[key] = _PartlySpoken(self.voice.speak(written), self.voice.rate_hz)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _read(self, sentence: str, kept: _PartlySpoken) -> Generator[Samples, None, None]:
        for position in count():
            if position == len(kept.chunks) and not self._make_more(sentence, kept):
                return
            yield kept.chunks[position]

    def _make_more(self, sentence: str, kept: _PartlySpoken) -> bool:
        before = kept.seconds
        try:
            more = kept.make_more()
        except BaseException:
            self._forget(sentence, kept)
            raise
        self.made_seconds += kept.seconds - before
        self._make_room(kept)
        return more

    def _forget(self, sentence: str, kept: _PartlySpoken) -> None:
        if self._kept.get(self._key(sentence)) is kept:
            del self._kept[self._key(sentence)]

    def _make_room(self, needed: _PartlySpoken) -> None:
        """Drop the least recently used sentences, except the needed one. Its reader goes on with it."""
        while len(self._kept) > 1 and sum(kept.seconds for kept in self._kept.values()) > MOST_KEPT_SECONDS:
            key, kept = next(iter(self._kept.items()))
            if kept is needed:
                self._kept.move_to_end(key)
                continue
            del self._kept[key]
