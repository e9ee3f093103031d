"""Words that are wrong live and right when the utterance is heard as a whole, and why.

Each is heard again with one thing changed at a time: the same audio with five candidates, with the full window, in
float32; and with more audio. What mends it tells the cause.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from engine.audio import SAMPLE_RATE_HZ, Samples
from engine.audio.feed import feed
from engine.audio.source import chunks_of
from engine.captions.session import CaptionSession
from engine.clock import SimulatedClock, Timer
from engine.events import Caption, Hypothesis, Reference, Word, text_of
from engine.hear.decode.pruning import IMPROVED
from engine.hear.decode.steps import finish
from engine.hear.recognizer import NO_REFERENCE, Recognizer, WhisperRecognizer
from engine.hear.whisper.load import load_hearing_model
from engine.metrics import WordErrors, normalized_words, word_errors
from engine.options import CaptionOptions
from lab.bench.captions.clips import Clip, Utterance
from lab.bench.captions.differences import Stretch, differences, sources, word_times
from lab.bench.captions.measure import hear_whole
from lab.bench.captions.methods import WHOLE
from lab.bench.captions.subject import Subject

LATER_SECONDS = 1.0
"""Audio that is added to a round, in seconds, to see whether waiting would have mended a word."""

WORD_END_SECONDS = 0.1
"""Audio after a word's end, in seconds, from which on a round has heard all of it; word times are inexact."""

CUT_SECONDS = 0.5
"""Longest time, in seconds, from the beginning of a round's audio to a word that the cut may have hurt."""

FIGURES, GUARD, FIRST, HALF, CUT, CONTEXT = (
    "a figure or a date",
    "a guard, or the join of two rounds",
    "first word after a pause",
    "committed before the word had ended",
    "the round's audio was cut before it",
    "committed before what follows was heard",
)
CANDIDATES, WINDOW, FLOATS, TOGETHER = (
    "one candidate instead of five",
    "the hush word instead of the full window",
    "bytes instead of float32",
    "several of these together",
)
CAUSES = (FIGURES, GUARD, FIRST, HALF, CUT, CONTEXT, CANDIDATES, WINDOW, FLOATS, TOGETHER)
MORE_AUDIO, WHOLE_UTTERANCE = f"{LATER_SECONDS:g} s more audio", "the whole utterance"
REMEDIES = (CANDIDATES, WINDOW, FLOATS, MORE_AUDIO, WHOLE_UTTERANCE)


@dataclass(frozen=True, slots=True)
class Ears:
    """Recognizers: as live captions hear, the same with one thing changed, and as whole utterances are heard.

    Attributes:
        changed: by the cause that they would mend.
    """

    live: Recognizer
    changed: dict[str, Recognizer]
    whole: Recognizer


@dataclass(frozen=True, slots=True)
class Heard:
    """One round: its audio, what was asked, and what was heard."""

    samples: Samples
    offset_seconds: float
    prompt: str
    language: str | None
    hypothesis: Hypothesis

    @property
    def end_seconds(self) -> float:
        return self.offset_seconds + len(self.samples) / SAMPLE_RATE_HZ


@dataclass(frozen=True, slots=True)
class Mistake:
    """Words in a row that are wrong live and right offline.

    Attributes:
        said, heard: with a word before and after them.
        words: how many are wrong, missing or too many.
        cause: one of CAUSES.
        mended_by: those of REMEDIES that mend them, each alone.
        probability: of the least likely committed word; None if none stands in their place.
        beyond_seconds: audio after the last one's true end that the round had heard which committed the first.
    """

    clip: str
    said: str
    heard: str
    words: int
    cause: str
    mended_by: tuple[str, ...]
    probability: float | None
    beyond_seconds: float


@dataclass(frozen=True, slots=True)
class ClipMistakes:
    """The mistakes of one clip, and the word errors of both ways."""

    live: WordErrors
    offline: WordErrors
    mistakes: tuple[Mistake, ...]


def ears_of(subject: Subject, model: str, live: CaptionOptions) -> Ears:
    """Make all ears of a Whisper model; `live` are the options of the captions.

    Raises:
        ModelError: it is no Whisper.
    """
    in_floats = load_hearing_model(model)
    in_floats.model.fast_encoder = in_floats.model.fast_decoder = None
    changed: dict[str, Recognizer] = {
        CANDIDATES: subject.make(
            replace(live, decode=replace(live.decode, beam_size=WHOLE.decode.beam_size)), IMPROVED
        ),
        WINDOW: subject.make(replace(live, padding=WHOLE.padding), IMPROVED),
        FLOATS: WhisperRecognizer(in_floats, live.decode, padding=live.padding),
    }
    return Ears(subject.make(live, IMPROVED), changed, subject.make(WHOLE, IMPROVED))


class _Listener(Recognizer):
    """A recognizer that keeps its newest round."""

    def __init__(self, inner: Recognizer) -> None:
        self._inner = inner
        self.languages, self.buffer_seconds = inner.languages, inner.buffer_seconds
        self.prefers_pipeline = False
        self.newest: Heard | None = None

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        found = finish(
            self._inner.stages(
                samples,
                offset_seconds=offset_seconds,
                prompt=prompt,
                language=language,
                final=final,
                reference=reference,
            )
        )
        self.newest = Heard(samples, offset_seconds, prompt, language, found)
        return found


@dataclass(slots=True)
class _Live:
    """Live words, normalized, with the word and the round that each came from."""

    texts: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    rounds: list[Heard] = field(default_factory=list)


def mistakes_of(ears: Ears, clip: Clip, options: CaptionOptions, timer: Timer) -> ClipMistakes:
    """Caption a clip live, hear its utterances as a whole, and find the cause of every word that live alone has wrong.

    The clip needs the times of its words.
    """
    live = _captioned(ears.live, clip, options, timer)
    offline = hear_whole(ears.whole, clip, options, timer)
    said = normalized_words(clip.text, clip.language)
    later = list(differences(said, normalized_words(offline.heard, clip.language)))
    alone = [each for each in differences(said, live.texts) if not any(map(each.meets, later))]
    timed = word_times(said, clip)
    found = tuple(_explained(ears, clip, said, timed, live, each) for each in alone) if live.texts else ()
    return ClipMistakes(word_errors(clip.text, " ".join(live.texts), clip.language), offline.errors, found)


def _captioned(ear: Recognizer, clip: Clip, options: CaptionOptions, timer: Timer) -> _Live:
    """Caption a clip; return its words with the round that committed each."""
    listener, live, known = _Listener(ear), _Live(), dict[int, int]()
    text: list[tuple[Word, Heard]] = []
    with closing(CaptionSession(listener, options, SimulatedClock(timer))) as session:
        for shown in feed(chunks_of(clip.listen()), session, pace="fast"):
            if isinstance(shown, Caption) and listener.newest is not None:
                new = shown.committed[known.get(shown.id, 0) :]
                known[shown.id] = len(shown.committed)
                text += [(word, listener.newest) for word in new]
    whole = normalized_words(text_of([word for word, _ in text]), clip.language)
    for index, source in sources(whole, [word.text for word, _ in text], clip.language):
        live.texts.append(whole[index])
        live.words.append(text[source][0])
        live.rounds.append(text[source][1])
    return live


def _explained(
    ears: Ears, clip: Clip, said: Sequence[str], timed: Sequence[Word], live: _Live, wrong: Stretch
) -> Mistake:
    first = min(wrong.heard, len(live.texts) - 1)
    words, round_ = live.words[wrong.heard : wrong.heard_end], live.rounds[first]
    true = timed[min(wrong.said, len(said) - 1)]
    last = timed[min(max(wrong.said, wrong.said_end - 1), len(said) - 1)]
    utterance = _utterance(clip, true)

    def mends(recognizer: Recognizer | None, begin: float, end: float, prompt: str) -> bool:
        found = round_.hypothesis if recognizer is None else _heard(recognizer, clip, begin, end, prompt)
        within = [index for index, each in enumerate(timed) if each.end > begin and each.start < end]
        if not within:
            return False
        begins = within[0]
        part = said[begins : within[-1] + 1]
        here = replace(wrong, said=wrong.said - begins, said_end=wrong.said_end - begins)
        texts = normalized_words(text_of(found.words), clip.language)
        return here.said_end <= len(part) and not any(map(here.meets, differences(part, texts)))

    same = (round_.offset_seconds, round_.end_seconds, round_.prompt)
    mended = [name for name, ear in ears.changed.items() if mends(ear, *same)]
    if mends(ears.live, round_.offset_seconds, round_.end_seconds + LATER_SECONDS, round_.prompt):
        mended.append(MORE_AUDIO)
    if mends(ears.live, utterance.start, utterance.end, ""):
        mended.append(WHOLE_UTTERANCE)
    texts = (*said[wrong.said : wrong.said_end], *live.texts[wrong.heard : wrong.heard_end])
    cause = _cause(
        figure=any(map(str.isdigit, "".join(texts))),
        heard_right=mends(None, *same),
        mended=mended,
        whole={name: mends(ear, utterance.start, utterance.end, "") for name, ear in ears.changed.items()},
        is_first=true.start <= _first_start(timed, utterance),
        beyond_seconds=round_.end_seconds - last.end,
        after_cut_seconds=true.start - round_.offset_seconds if round_.offset_seconds > utterance.start else None,
    )
    return Mistake(
        clip.name,
        " ".join(said[max(0, wrong.said - 1) : wrong.said_end + 1]),
        " ".join(live.texts[max(0, wrong.heard - 1) : wrong.heard_end + 1]),
        wrong.edits,
        cause,
        tuple(mended),
        min((word.probability for word in words), default=None),
        round_.end_seconds - last.end,
    )


def _cause(
    *,
    figure: bool,
    heard_right: bool,
    mended: Sequence[str],
    whole: dict[str, bool],
    is_first: bool,
    beyond_seconds: float,
    after_cut_seconds: float | None,
) -> str:
    """Return the cause of a mistake: the first that applies, in the order of CAUSES.

    Where the whole utterance, heard as live, has the word right, there was too little audio; else what live lacks.
    """
    if figure:
        return FIGURES
    if heard_right:
        return GUARD
    if WHOLE_UTTERANCE not in mended:
        return next((name for name in (CANDIDATES, WINDOW, FLOATS) if whole.get(name)), TOGETHER)
    if is_first:
        return FIRST
    if beyond_seconds < WORD_END_SECONDS:
        return HALF
    if after_cut_seconds is not None and after_cut_seconds < CUT_SECONDS:
        return CUT
    return CONTEXT


def _heard(recognizer: Recognizer, clip: Clip, begin: float, end: float, prompt: str) -> Hypothesis:
    samples = clip.listen()[round(begin * SAMPLE_RATE_HZ) : round(end * SAMPLE_RATE_HZ)]
    return recognizer.hear(samples, offset_seconds=begin, prompt=prompt, language=clip.language)


def _utterance(clip: Clip, word: Word) -> Utterance:
    """Return the utterance that a word was said in; all of the clip if that is not known."""
    middle = (word.start + word.end) / 2
    whole = Utterance(clip.text, 0.0, len(clip.listen()) / SAMPLE_RATE_HZ)
    return next((part for part in clip.utterances if part.start <= middle < part.end), whole)


def _first_start(timed: Sequence[Word], utterance: Utterance) -> float:
    return min((word.start for word in timed if word.end > utterance.start), default=utterance.start)


def count(
    found: Sequence[ClipMistakes], of: Callable[[Mistake], Sequence[str]], names: Sequence[str]
) -> dict[str, int]:
    """Count the wrong words of all clips by names that `of` gives each mistake."""
    listed = [mistake for each in found for mistake in each.mistakes]
    return {name: sum(mistake.words for mistake in listed if name in of(mistake)) for name in names}
