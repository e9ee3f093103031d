"""Speech synthesized ahead: the beginnings of sentences that may be needed, which can be resumed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator

import numpy as np

from engine.audio import Samples
from engine.errors import VoiceError
from engine.speak.choice import language_of
from engine.speak.joining import trimmed
from engine.speak.kept_speech import KeptSpeech
from engine.speak.reading import read_aloud
from engine.speak.voice import Utterance, Voice, in_chunks, plain_text

BEGINNING_SECONDS = 0.5
MOST_KEPT_SECONDS = 120.0


class _PartlySpoken:
    """The part of a sentence that has been synthesized.

    Attributes:
        whole: there is no more.
        awaited: the next chunk is being computed on another thread.
    """

    def __init__(self, source: Utterance, rate_hz: int) -> None:
        self._source = source
        self._rate_hz = rate_hz
        self._chunks = in_chunks(trimmed(source, rate_hz), rate_hz)
        self.chunks: list[Samples] = []
        self.seconds = 0.0
        self.whole = self.awaited = False

    def make_more(self) -> bool:
        """Synthesize the next chunk, unless it has to be awaited; return False at the end."""
        chunk = next(self._chunks, None)
        self.whole, self.awaited = chunk is None, chunk is not None and not len(chunk)
        if chunk is not None and len(chunk):
            self.chunks.append(chunk)
            self.seconds += len(chunk) / self._rate_hz
        return chunk is not None

    def close(self) -> None:
        self._source.close()


class SpeechAhead:
    """A voice with a cache: no part of a sentence is synthesized twice. All methods are for one thread.

    Sentences are stored under the voice's name, which includes speaker and rate, and their text. The least recently
    used are dropped once there are more than MOST_KEPT_SECONDS of sound. Those of a slow voice may be kept on the disk,
    too.

    Attributes:
        voice: the voice.
        prepared: number of sentences that were started before they were needed.
        used: number of sentences whose beginning was ready when they were spoken.
        made_seconds: seconds of synthesized sound.
    """

    def __init__(self, voice: Voice, on_disk: KeptSpeech | None = None) -> None:
        self.voice = voice
        self._on_disk = on_disk
        self.prepared = 0
        self.used = 0
        self.made_seconds = 0.0
        self._kept: OrderedDict[tuple[str, str], _PartlySpoken] = OrderedDict()

    def prepare(self, sentence: str) -> None:
        """Synthesize the sentence's first BEGINNING_SECONDS of sound, if that has not been done."""
        while self.prepare_more(sentence):
            pass

    def prepare_more(self, sentence: str, *, whole: bool = False) -> bool:
        """Synthesize one chunk of the sentence's beginning, or of all of it; return whether more is to be made.

        Sound of another sentence that is being computed meanwhile is given up. If the voice fails, nothing is stored:
        it is asked again when the sentence is spoken.
        """
        if self._has(sentence, whole=whole):
            return False
        self._give_up_others(sentence)
        self.prepared += self._key(sentence) not in self._kept
        try:
            self._make_more(sentence, self._begun(sentence))
        except VoiceError:
            return False
        return not self._has(sentence, whole=whole)

    def made(self, sentence: str) -> bool:
        """Return whether its beginning is ready, or all of it if it is shorter."""
        return self._has(sentence, whole=False)

    def started(self, sentence: str) -> bool:
        """Return whether any of its sound is ready."""
        kept = self._kept.get(self._key(sentence))
        return kept is not None and bool(kept.whole or kept.chunks)

    def complete(self, sentence: str) -> bool:
        """Return whether all of it is ready."""
        return self._has(sentence, whole=True)

    def rest(self) -> None:
        """Stop what is being computed on another thread."""
        self._give_up_others("")

    def speak(self, sentence: str) -> Generator[Samples, None, None]:
        """Speak the sentence: the prepared part comes at once, then synthesis resumes.

        A generator that is closed early keeps its part in the cache. The silence before and after the sentence is cut.
        Sound of another sentence that is being computed meanwhile is given up.

        Raises VoiceError, with the first chunk or a later one, if the voice fails; the sentence is dropped from the
        cache then.
        """
        self._give_up_others(sentence)
        self.used += self.made(sentence)
        return self._read(sentence, self._begun(sentence))

    def close(self) -> None:
        """Close all sentences in progress, and empty the cache."""
        for kept in self._kept.values():
            kept.close()
        self._kept.clear()

    def _key(self, sentence: str) -> tuple[str, str]:
        return self.voice.name, plain_text(sentence)

    def _has(self, sentence: str, *, whole: bool) -> bool:
        kept = self._kept.get(self._key(sentence))
        return kept is not None and (kept.whole or (not whole and kept.seconds >= BEGINNING_SECONDS))

    def _begun(self, sentence: str) -> _PartlySpoken:
        key = self._key(sentence)
        if key not in self._kept:
            self._kept[key] = _PartlySpoken(self._source(key[1], sentence), self.voice.rate_hz)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _source(self, text: str, sentence: str) -> Utterance:
        """Return the sentence's sound from the disk, or a new utterance of the voice."""
        store = self.voice.store_name
        samples = self._on_disk.get(store, text) if self._on_disk is not None and store is not None else None
        if samples is not None:
            return (part for part in (samples,))
        return self.voice.speak(read_aloud(sentence, language_of(self.voice)))

    def _keep_on_disk(self, text: str, kept: _PartlySpoken) -> None:
        store = self.voice.store_name
        if self._on_disk is not None and store is not None and kept.chunks:
            self._on_disk.keep(store, text, np.concatenate(kept.chunks), self.voice.rate_hz)

    def _give_up_others(self, sentence: str) -> None:
        wanted = self._key(sentence)
        for key in [key for key, kept in self._kept.items() if kept.awaited and key != wanted]:
            self._kept.pop(key).close()

    def _read(self, sentence: str, kept: _PartlySpoken) -> Generator[Samples, None, None]:
        position = 0
        while position < len(kept.chunks) or self._make_more(sentence, kept):
            if position == len(kept.chunks):
                yield np.zeros(0, np.float32)
                continue
            yield kept.chunks[position]
            position += 1

    def _make_more(self, sentence: str, kept: _PartlySpoken) -> bool:
        before, was_whole = kept.seconds, kept.whole
        try:
            more = kept.make_more()
        except BaseException:
            self._forget(sentence, kept)
            raise
        if kept.whole and not was_whole:
            self._keep_on_disk(self._key(sentence)[1], kept)
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
