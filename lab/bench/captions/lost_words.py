"""Words that live captions lose: several in a row that were said, without a word in their place.

They are lost where captions meet, if anywhere: there the audio that rounds hear ends or begins.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock, Timer
from engine.events import Caption
from engine.hear.recognizer import Recognizer
from engine.metrics import normalized_words
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip
from lab.bench.captions.differences import Stretch, differences
from lab.bench.captions.measure import hear_whole

LEAST_LOST = 4
"""Fewest words in a row that count as lost; fewer are mistakes of hearing."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Words that live captions lack.

    Attributes:
        said, heard: with a word before and after them.
        lost: how many more words were said than written.
        heard_later: the whole utterance, heard with several candidates, has them.
    """

    clip: str
    said: str
    heard: str
    lost: int
    heard_later: bool


@dataclass(frozen=True, slots=True)
class ClipGaps:
    """The gaps of one clip.

    Attributes:
        words: said in it.
        captions: that it was written in.
    """

    seconds: float
    words: int
    captions: int
    gaps: tuple[Gap, ...]


def gaps_of(live: Recognizer, whole: Recognizer, clip: Clip, options: CaptionOptions, timer: Timer) -> ClipGaps:
    """Caption a clip live and find its gaps; if there are any, hear its utterances as a whole, too."""
    with closing(CaptionSession(live, options, SimulatedClock(timer))) as session:
        shown = [each for each in feed(chunks_of(clip.listen()), session, pace="fast") if isinstance(each, Caption)]
        seconds = session.audio_seconds
    newest = {caption.id: caption for caption in shown}
    said = normalized_words(clip.text, clip.language)
    texts = normalized_words(" ".join(each.text for each in newest.values()), clip.language)
    lost = [each for each in differences(said, texts) if _lost(each) >= LEAST_LOST]
    later: list[Stretch] = []
    if lost:
        heard = normalized_words(hear_whole(whole, clip, options, timer).heard, clip.language)
        later = [each for each in differences(said, heard) if _lost(each) >= LEAST_LOST]
    gaps = tuple(
        Gap(
            clip.name,
            " ".join(said[max(0, each.said - 1) : each.said_end + 1]),
            " ".join(texts[max(0, each.heard - 1) : each.heard_end + 1]),
            _lost(each),
            not any(map(each.meets, later)),
        )
        for each in lost
    )
    return ClipGaps(seconds, len(said), len(newest), gaps)


def _lost(stretch: Stretch) -> int:
    return stretch.said_end - stretch.said - (stretch.heard_end - stretch.heard)
