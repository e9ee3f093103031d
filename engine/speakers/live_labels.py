"""Speakers of live captions: a label once it is sure, and better labels for the transcript at the end.

A window is heard when a finished caption waits for its label, at most every few seconds, so silence costs nothing.
At the end all windows are grouped as those of a recording are, and labels that come out otherwise are sent again.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, pairwise
from typing import TYPE_CHECKING

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.buffer import AudioBuffer
from engine.errors import error_sentence
from engine.events import FIRST_CAPTION, Caption, Incident, KnownVoice, SpeakerLabel, Word
from engine.speakers.diarization import label_stretches
from engine.speakers.local_speakers import SPEAKS, HeardWindow, PrintedStretches
from engine.speakers.segmentation import FRAME_CENTRE_SECONDS, FRAME_SECONDS, WINDOW_SAMPLES, WINDOW_SECONDS
from engine.speakers.turns import LAG_SECONDS, turns_of
from engine.speakers.voice_book import VoiceBook
from engine.speakers.words import TurnWords, steady

if TYPE_CHECKING:
    from engine.clock import Clock
    from engine.speakers.local_speakers import LocalSpeakers

LEAST_STEP_SECONDS = 3.0
"""Shortest time from one window's end to the next."""

MOST_STEP_SECONDS = 8.0
"""Longest time from one window's end to the next while somebody speaks."""

BACK_SECONDS = 3.0
"""Audio before the end of the last window that the next one hears again. Chosen in LOG 2026-11-29."""

SETTLED_SECONDS = 0.3
"""Audio behind a caption that its window must hold."""

KEPT_SECONDS = 45.0
"""Audio that is kept for windows. A caption that waits longer gets no label before the end."""

KEPT_WINDOWS = 4
"""Newest windows that captions are labelled by."""

MOST_WINDOWS_OF_A_CAPTION = 2
"""Windows after which a caption that is still not sure stays without a label until the end."""

SPLIT_SECONDS = 3.0
"""Time from the end of a caption of several voices until it is split: by then it has been heard again."""

SURE_SHARE = 0.7
"""Least share of a caption's words that have its speaker."""

LEAST_TURN_SECONDS = 0.6
"""Shortest speech of each of two voices between which an open caption ends."""


class LiveLabels:
    """Labels the captions of one stream with their speakers. All methods are for one thread.

    Attributes:
        seconds: computation so far.
        heard: number of windows that were heard.
        report: receives incidents.
        on_split: told the number of a final caption that is split.
    """

    def __init__(
        self,
        networks: LocalSpeakers,
        clock: Clock,
        start_seconds: float,
        *,
        name: Callable[[int], str] = "Speaker {}".format,
        known: Sequence[KnownVoice] = (),
        ids: Iterator[int] | None = None,
    ) -> None:
        """Label captions of a stream whose first sample stands at `start_seconds`.

        The nth voice is called `name(n)`, from 1 on, unless it is one of the `known` ones. `ids` numbers new captions.
        """
        self.seconds = 0.0
        self.heard = 0
        self._networks = networks
        self._clock = clock
        self.report: Callable[[Incident], None] = lambda incident: None
        self.on_split: Callable[[int], None] = lambda number: None
        self._has_failed = False
        self._start_seconds = start_seconds
        self._audio = AudioBuffer(KEPT_SECONDS, start_seconds)
        self._book = VoiceBook(name, known)
        self._windows: list[HeardWindow] = []  # in seconds since the first sample
        self._names: list[str] = []  # of each stretch of each window, as they were when it was heard
        self._printed = PrintedStretches()
        self._recent: deque[tuple[HeardWindow, list[str]]] = deque(maxlen=KEPT_WINDOWS)
        self._heard_until = start_seconds
        self._spoken_until = start_seconds  # end of the newest word
        self._ids = count(FIRST_CAPTION) if ids is None else ids
        self._captions: dict[int, Caption] = {}
        self._waiting: dict[int, int] = {}  # the captions without a label, and the windows that they were looked for in
        self._heard_already: deque[int] = deque()  # those of them that the windows so far have heard
        self._shown: dict[int, str] = {}
        self._looked_at: tuple[int, int, float] | None = None  # what a turn was last looked for in
        self._ready: deque[SpeakerLabel | Caption] = deque()
        self._running: Generator[None, None, HeardWindow] | None = None

    def add(self, samples: Samples) -> None:
        """Keep the next samples (n,) of the stream."""
        self._audio.append(samples)

    def offer(self, captions: Iterable[Caption]) -> None:
        """Note captions that have changed; final ones wait for their label, better words keep the one they have."""
        for caption in captions:
            words = caption.committed or caption.pending
            if not words or caption.is_gap:
                continue
            self._spoken_until = max(self._spoken_until, words[-1].end)
            if caption.final:
                self._captions[caption.id] = caption
                if caption.id not in self._shown and caption.id not in self._waiting:
                    self._waiting[caption.id] = 0
                    if words[-1].end + SETTLED_SECONDS <= self._heard_until:
                        self._heard_already.append(caption.id)

    def turn_within(self, words: Sequence[Word]) -> int:
        """Return at which of an open caption's words another voice begins; 0 if nothing new says so."""
        known = [word for word in words if word.end <= self._heard_until]
        state = self.heard, len(known), words[0].start if words else 0.0
        if state == self._looked_at:
            return 0
        self._looked_at = state
        return next(iter(self._turns_in(known)), 0)

    @property
    def busy(self) -> bool:
        """Return whether a step would do anything now."""
        at_once = bool(self._ready or self._heard_already)
        return at_once or (not self._has_failed and (self._running is not None or self._is_due))

    def step(self, *, split: bool = False) -> SpeakerLabel | Caption | None:
        """Work for about one pass of a network; return a label, or a part of a split caption, once there is one.

        Final captions in which several voices speak are `split` before their label: a line ends where a voice does.
        """
        if not self._ready:
            started = self._clock.timer()
            self._work(split=split)
            self._clock.spend_since(started)
            self.seconds += self._clock.timer() - started
        return self._ready.popleft() if self._ready else None

    def finish(self, *, split: bool = False) -> Iterator[SpeakerLabel | Caption]:
        """Label all captions that wait, then send better labels; no more audio will come.

        Captions in which several voices turn out to speak are `split`: see engine.events.Caption.
        """
        while not self._has_failed and (self._heard_already or self._running is not None or self._has_unheard_words):
            self._work(at_end=True, split=split)
        for caption in list(self._waiting):
            self._settle(caption, "")
        yield from self._ready
        self._ready.clear()
        yield from self._better_labels(split=split)

    @property
    def _has_unheard_words(self) -> bool:
        return self._spoken_until > self._heard_until and self._audio.end_seconds > self._heard_until

    @property
    def _is_due(self) -> bool:
        since = self._audio.end_seconds - self._heard_until
        if since < LEAST_STEP_SECONDS:
            return False
        if since >= MOST_STEP_SECONDS and self._has_unheard_words:
            return True
        reached = self._audio.end_seconds - SETTLED_SECONDS
        return any(self._captions[each].committed[-1].end <= reached for each in self._waiting)

    def _work(self, *, at_end: bool = False, split: bool = False) -> None:
        try:
            if self._heard_already:
                self._label(self._heard_already.popleft(), split=split)
                return
            if self._running is None:
                self._running = self._begin(at_end=at_end)
            next(self._running)
        except StopIteration as end:
            self._running = None
            self._take(end.value, split=split)
        except Exception as error:  # whatever a model may raise: the captions themselves have not failed
            self._running, self._has_failed = None, True
            self._heard_already.clear()
            for caption in list(self._waiting):
                self._settle(caption, "")
            self.report(Incident(f"Speakers are not told apart any more: {error_sentence(error)}"))

    def _begin(self, *, at_end: bool) -> Generator[None, None, HeardWindow]:
        """Begin to hear the newest window, or an older one where words between the last one and it were not heard."""
        oldest, newest = self._audio.start_seconds, self._audio.end_seconds
        begin = max(oldest, newest - WINDOW_SECONDS, min(self._heard_until, newest - LEAST_STEP_SECONDS) - BACK_SECONDS)
        unheard = [
            word.start
            for caption in self._waiting
            for word in self._captions[caption].committed
            if self._heard_until <= word.start < begin
        ]
        if unheard:
            begin = max(oldest, min(unheard) - SETTLED_SECONDS)
        elif at_end:
            begin = max(oldest, min(begin, self._heard_until))
        self._heard_until = min(newest, begin + WINDOW_SECONDS)
        first = round(begin * SAMPLE_RATE_HZ) - self._audio.start_sample
        samples = self._audio.samples[max(0, first) :][:WINDOW_SAMPLES]
        return self._networks.stages(samples, begin - self._start_seconds, self._printed)

    def _take(self, window: HeardWindow, *, split: bool) -> None:
        """Name the voices of a window that was heard, and label the captions in it."""
        self.heard += 1
        self._book.add(
            [
                (each.voice_print, each.print_seconds)
                for each in window.stretches
                if each.voice_print is not None and each.is_new
            ]
        )
        names = self._book.names([each.likely_print for each in window.stretches])
        self._windows.append(window)
        self._names += names
        self._recent.append((window, names))
        for caption in list(self._waiting):
            if self._captions[caption].committed[-1].end <= self._heard_until:
                self._waiting[caption] += 1
                self._label(caption, split=split)

    def _label(self, number: int, *, split: bool) -> None:
        """Label a caption that waits, or the parts that it is split into, if that is sure or not to become so."""
        for part in self._parts(number) if split else (number,):
            name = self._speaker_of(self._captions[part].committed)
            if name or self._waiting[part] >= MOST_WINDOWS_OF_A_CAPTION:
                self._settle(part, name)

    def _parts(self, number: int) -> list[int]:
        """Split a caption that waits for its label where another voice begins; return the numbers of its parts.

        One that may still be heard again waits on: none are returned.
        """
        caption = self._captions[number]
        places = [0, *self._turns_in(caption.committed), len(caption.committed)]
        if len(places) == 2:
            return [number]
        if self._audio.end_seconds < caption.end + SPLIT_SECONDS:
            return []
        self.on_split(number)
        parts = [
            _part(caption, caption.committed[begin:end], next(self._ids) if begin else number)
            for begin, end in pairwise(places)
        ]
        self._captions.update((part.id, part) for part in parts)
        self._waiting.update((part.id, self._waiting[number]) for part in parts)
        self._ready.extend(parts)
        return [part.id for part in parts]

    def _turns_in(self, words: Sequence[Word]) -> list[int]:
        """Return at which words another voice begins, as far as that is known by now."""
        said = [self._speaker_at(word.middle - self._start_seconds) for word in words]
        for at in range(1, len(said)):
            said[at] = said[at] or said[at - 1]
        return _turns(words, steady(words, said))

    def _settle(self, caption: int, name: str) -> None:
        del self._waiting[caption]
        self._shown[caption] = name
        self._ready.append(SpeakerLabel(caption, name, self._book.voice(name)))

    def _speaker_of(self, words: Sequence[Word]) -> str:
        """Return the speaker of most of these words; empty if nobody says enough of them."""
        said = Counter[str]()
        for word in words:
            said[self._speaker_at(word.middle - self._start_seconds)] += 1
        name, count = said.most_common(1)[0]
        return name if count >= SURE_SHARE * len(words) else ""

    def _speaker_at(self, second: float) -> str:
        """Return the name of the voice that most probably speaks, by the newest window that knows it."""
        for window, names in reversed(self._recent):
            frame = round((second - LAG_SECONDS - window.start_seconds - FRAME_CENTRE_SECONDS) / FRAME_SECONDS)
            chances = [
                (float(stretch.activity[frame - stretch.first]), name)
                for stretch, name in zip(window.stretches, names, strict=True)
                if stretch.frames.start <= frame < stretch.frames.stop
            ]
            chance, name = max(chances, default=(0.0, ""))
            if chance > SPEAKS and name:
                return name
        return ""

    def _better_labels(self, *, split: bool) -> Iterator[SpeakerLabel | Caption]:
        """Group all windows, and yield the labels of captions that come out otherwise than they were shown."""
        labels = label_stretches(self._windows)
        stretches = [stretch for window in self._windows for stretch in window.stretches]
        votes = dict[tuple[int, str], float]()
        for stretch, label, name in zip(stretches, labels, self._names, strict=True):
            if label >= 0 and name:
                votes[int(label), name] = votes.get((int(label), name), 0.0) + stretch.alone_seconds
        called = dict[int, str]()
        for label, name in sorted(votes, key=lambda key: -votes[key]):
            if label not in called and name not in called.values():
                called[label] = name
        turns = turns_of(self._windows, labels)
        names = {
            label: called.get(label) or self._book.new_name() for label in sorted({turn.speaker for turn in turns})
        }
        speakers = TurnWords(turns, lambda label: names[label])
        for caption in list(self._captions.values()):
            words = caption.committed
            said = speakers([word.delayed(-self._start_seconds) for word in words])
            places = [0, *(_turns(words, said) if split else ()), len(words)]
            for part, (begin, end) in enumerate(pairwise(places)):
                number = caption.id if part == 0 else next(self._ids)
                if len(places) > 2:
                    yield _part(caption, words[begin:end], number)
                name = Counter(said[begin:end]).most_common(1)[0][0]
                if name and name != self._shown.get(number, ""):
                    self._shown[number] = name
                    yield SpeakerLabel(number, name, self._book.voice(name))


def _turns(words: Sequence[Word], said: Sequence[str]) -> list[int]:
    """Return at which words another voice begins, by who says each: those between which both speak for long enough."""
    places = [0, *(at for at in range(1, len(said)) if said[at] != said[at - 1]), len(said)]
    return [
        turn
        for begin, turn, end in zip(places, places[1:], places[2:], strict=False)
        if said[begin]
        and min(words[turn - 1].end - words[begin].start, words[end - 1].end - words[turn].start) >= LEAST_TURN_SECONDS
    ]


def _part(caption: Caption, words: tuple[Word, ...], number: int) -> Caption:
    """Return the caption of one voice in a caption of several; the first part has the number of the whole."""
    return replace(
        caption,
        id=number,
        revision=caption.revision + 1 if number == caption.id else 0,
        start=words[0].start,
        end=words[-1].end,
        committed=words,
        first_text=caption.first_text or caption.text,
        moved=caption.moved if number == caption.id else len(words),
    )
