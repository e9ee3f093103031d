"""The user's words, turn by turn: those of a caption session whose captions are not shown."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.audio import Samples
from engine.audio.voice_activity import SpeechModel
from engine.captions.session import CaptionSession
from engine.clock import Clock
from engine.events import Caption, Incident, Shown, Word, text_of
from engine.options import CaptionOptions

if TYPE_CHECKING:
    from engine.hear.recognizer import Recognizer

MOST_WORDS = 5_000
"""Most words of a turn that are kept; the newest stay."""


class QuestionHearing:
    """Hears words, and keeps those of the present turn. One thread uses it.

    Attributes:
        words: committed words of the present turn.
    """

    def __init__(
        self,
        recognizer: Recognizer,
        options: CaptionOptions,
        clock: Clock,
        detector: SpeechModel | None,
        end_silence_seconds: float,
    ) -> None:
        """Hear with a recognizer; commit all words after `end_silence_seconds` without speech."""
        options = replace(options, voice_gate=True, pipeline=False)  # rounds alternate with a language model's forwards
        self._captions = CaptionSession(
            recognizer, options, clock, voice=detector, end_silence_seconds=end_silence_seconds, hears_again=False
        )  # the user waits for an answer while a doubtful word is heard again
        self._counts: dict[int, int] = {}  # number of returned words of a caption, by its id
        self._spoke = False
        self.words: deque[Word] = deque(maxlen=MOST_WORDS)

    @property
    def text(self) -> str:
        """Return the words of this turn, including pending ones."""
        return text_of((*self.words, *self._captions.pending))

    @property
    def has_unheard_speech(self) -> bool:
        """Return whether there are pending words."""
        return bool(self._captions.pending)

    @property
    def speaking(self) -> bool:
        """Return whether the newest audio is taken for speech."""
        return self._captions.speaking

    @property
    def heard_seconds(self) -> float:
        """Return how much audio has come."""
        return self._captions.audio_seconds

    @property
    def voiced_seconds(self) -> float:
        """The end of the newest speech so far."""
        return self._captions.voiced_seconds

    @property
    def silence_seconds(self) -> float:
        """The time since the newest speech."""
        return self.heard_seconds - self.voiced_seconds

    def add_audio(self, chunk: Samples) -> None:
        """Add samples (n,); nothing is computed before `update`."""
        self._captions.add_audio(chunk)

    def update(self) -> list[Word]:
        """Hear the audio that is due; return newly committed words. `keep` those that belong to the present turn."""
        return self._new(self._captions.update())

    def commit(self) -> list[Word]:
        """Hear the newest audio for the last time: the user has finished. Returns words as `update` does."""
        return self._new(self._captions.commit())

    def keep(self, words: Iterable[Word]) -> None:
        """Add words to the present turn."""
        self.words.extend(words)

    def next_turn(self) -> None:
        """Begin another turn, without words."""
        self.words.clear()

    def began(self) -> bool:
        """Return whether speech has begun since the last call."""
        before, self._spoke = self._spoke, self.speaking
        return self._spoke and not before

    def incidents(self) -> Iterator[Incident]:
        """Yield new incidents, each once."""
        while self._captions.incidents:
            yield self._captions.incidents.popleft()

    def close(self) -> None:
        """Stop hearing."""
        self._captions.close()

    def _new(self, shown: Iterable[Shown]) -> list[Word]:
        words: list[Word] = []
        for caption in shown:
            if isinstance(caption, Caption):
                words += caption.committed[self._counts.get(caption.id, 0) :]
                self._counts[caption.id] = len(caption.committed)
                if caption.final:
                    del self._counts[caption.id]
        return words
