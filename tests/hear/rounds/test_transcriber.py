from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.events import Hypothesis, Reference, Word, text_of
from engine.hear.recognizer import NO_REFERENCE, Recognizer
from engine.hear.rounds import transcriber as transcribers
from engine.hear.rounds.spoken_language import CERTAIN_PROBABILITY, LEAST_PROBABILITY
from engine.hear.rounds.transcriber import GRACE_SECONDS, Round, Transcriber
from engine.options import CaptionOptions, DecodeOptions
from tests.hear.planted import PlantedRecognizer, numbered, plant


def steady(count: int, seconds: float = 0.5) -> list[Word]:
    """Make words without gaps."""
    return numbered([(i * seconds, (i + 1) * seconds) for i in range(count)])


def transcriber_for(words: list[Word], **options: object) -> tuple[Transcriber, PlantedRecognizer]:
    recognizer = PlantedRecognizer(words, unsteady_seconds=0.0)
    return Transcriber(recognizer, CaptionOptions(**options)), recognizer  # type: ignore[arg-type]


both_policies = pytest.mark.parametrize("policy", ["local-agreement", "alignatt"])


def feed(transcriber: Transcriber, samples: np.ndarray, step_seconds: float = 1.0) -> list[Word]:
    """Hear the samples in rounds; return what was committed."""
    committed: list[Word] = []
    step = round(step_seconds * SAMPLE_RATE_HZ)
    for first in range(0, len(samples), step):
        transcriber.add(samples[first : first + step])
        committed += transcriber.hear().committed
    return committed


@dataclass
class Scripted(Recognizer):
    """Answers with the given hypotheses in turn."""

    answers: list[Hypothesis]
    languages: tuple[str, ...] = ("en", "de")
    buffer_seconds: float = 15.0
    asked: list[str | None] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    def hear(
        self,
        samples: np.ndarray,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        self.asked.append(language)
        self.prompts.append(prompt)
        self.references.append(reference)
        return self.answers.pop(0)


def heard(*texts: str, **fields: object) -> Hypothesis:
    probability = float(np.exp(fields.get("average_logprob", 0.0)))  # type: ignore[arg-type]
    words = tuple(Word(text, i * 0.5, i * 0.5 + 0.5, probability) for i, text in enumerate(texts))
    return replace(Hypothesis(words, "en"), **fields)  # type: ignore[arg-type]


def scripted(*answers: Hypothesis, seconds: float = 4.0, **options: object) -> tuple[Transcriber, Scripted]:
    recognizer = Scripted(list(answers))
    transcriber = Transcriber(recognizer, CaptionOptions(**options))  # type: ignore[arg-type]
    transcriber.add(np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32))
    return transcriber, recognizer


def hear_on(transcriber: Transcriber, seconds: float = 0.5) -> Round:
    """Hear with so much new audio: rounds that are to agree are apart."""
    transcriber.add(np.zeros(round(seconds * SAMPLE_RATE_HZ), np.float32))
    return transcriber.hear()


# --- rounds ---


def test_a_second_round_commits_what_the_first_one_heard() -> None:
    words = steady(4)
    transcriber, _ = transcriber_for(words, policy="local-agreement")
    transcriber.add(plant(words)[:SAMPLE_RATE_HZ])
    first = transcriber.hear()
    assert (first.committed, text_of(first.pending), first.buffer_seconds) == ((), "w1 w2", 1.0)
    transcriber.add(plant(words)[SAMPLE_RATE_HZ:])
    second = transcriber.hear()
    assert (text_of(second.committed), text_of(second.pending)) == ("w1 w2", "w3 w4")


def test_alignatt_commits_in_the_first_round_what_was_heard_far_from_its_end() -> None:
    words = steady(4)
    transcriber, _ = transcriber_for(words, policy="alignatt", attention_margin_seconds=0.5)
    transcriber.add(plant(words)[: 3 * SAMPLE_RATE_HZ // 2])
    first = transcriber.hear()
    assert (text_of(first.committed), text_of(first.pending)) == ("w1 w2", "w3")
    transcriber.add(plant(words)[3 * SAMPLE_RATE_HZ // 2 :])
    second = transcriber.hear()
    assert (text_of(second.committed), text_of(second.pending)) == ("w3", "w4")
    assert text_of(transcriber.settle()) == "w4"


def test_alignatt_doubts_what_is_unlikely_and_asks_for_as_many_hearings_as_the_options_say() -> None:
    answers = [heard(" one", " two", " three", average_logprob=-0.2) for _ in range(3)]  # 82% likely
    transcriber, _ = scripted(*answers, policy="alignatt", agreement=3, certain_probability=0.9)
    assert [text_of(hear_on(transcriber).committed) for _ in range(3)] == ["", "", "one two three"]
    transcriber, _ = scripted(*answers[:1], policy="alignatt", certain_probability=0.8)
    assert text_of(transcriber.hear().committed) == "one two"  # and the last one may go on


@both_policies
def test_the_next_round_is_told_what_was_heard_with_tokens_and_where_the_decoder_looked(policy: str) -> None:
    said = [Word(f" w{i}", i * 0.5, i * 0.5 + 0.5, tokens=(i, 40), attended=i * 0.5 + 0.2) for i in range(4)]
    transcriber, recognizer = scripted(*[Hypothesis(tuple(said), "en")] * 3, seconds=1.8, policy=policy)
    for _ in range(3):
        transcriber.hear()
    told = recognizer.references[-1]
    assert told.committed
    assert [(w.tokens, w.attended) for w in (*told.committed, *told.expected)] == [(w.tokens, w.attended) for w in said]


@both_policies
def test_closing_commits_everything_and_empties_the_buffer(policy: str) -> None:
    words = steady(4)
    transcriber, _ = transcriber_for(words, policy=policy)
    transcriber.add(plant(words))
    result = transcriber.close()
    assert text_of(result.committed) == "w1 w2 w3 w4"
    assert result.pending == ()
    assert transcriber.buffer.seconds == 0
    assert transcriber.buffer.start_seconds == 2.0


def test_closing_keeps_the_silence_after_speech_for_the_next_word() -> None:
    words = steady(2)
    transcriber, _ = transcriber_for(words)
    transcriber.add(plant(words, seconds=2.0))
    transcriber.close(voiced_until=1.0)
    assert transcriber.buffer.start_seconds == 1.25


@pytest.mark.parametrize(
    ("voiced_until", "final", "goes_on"),
    [(4.0, False, True), (3.7, False, False), (4.0, True, False), (None, False, False)],
)
def test_a_round_knows_whether_its_last_word_may_be_cut_off(
    voiced_until: float | None, final: bool, goes_on: bool
) -> None:
    transcriber, _ = scripted()
    assert transcriber.next_span(voiced_until, final=final).reference.goes_on is goes_on


def test_no_word_lasts_beyond_the_end_of_speech() -> None:
    transcriber, _ = scripted(Hypothesis((Word(" end", 1.0, 3.9),), "en"))
    assert transcriber.close(voiced_until=1.5).committed == (Word(" end", 1.0, 1.6),)


def test_the_first_word_of_a_hypothesis_is_set_off_by_a_space() -> None:
    transcriber, _ = scripted(heard("one", " two"))
    assert transcriber.close().committed[0].text == " one"


def test_scripts_without_spaces_get_none() -> None:
    transcriber, _ = scripted(heard("世", "界", language="zh"))
    assert [word.text for word in transcriber.close().committed] == ["世", "界"]


def test_empty_words_and_times_outside_the_audio_are_tidied() -> None:
    transcriber, _ = scripted(Hypothesis((Word(" ", 0, 1), Word(" late", 3.5, 9.0)), "en"))
    assert transcriber.close().committed == (Word(" late", 3.5, 4.0),)


# --- prompt ---


@both_policies
def test_only_text_whose_audio_has_left_the_buffer_is_the_prompt(policy: str) -> None:
    words = steady(40)
    transcriber, recognizer = transcriber_for(words, buffer_seconds=5, policy=policy)
    feed(transcriber, plant(words))
    for start, _, prompt in recognizer.calls:
        left = [word for word in words if word.end <= start]
        assert prompt == text_of(left)
    assert recognizer.calls[-1][2]


@pytest.mark.parametrize(("listed", "prompt"), [((), "One two"), (("Zoe",), "")])
def test_what_another_session_heard_is_no_prompt_where_words_to_know_are_listed(
    listed: tuple[str, ...], prompt: str
) -> None:
    """It may not have known them."""
    words = [Word(" One", 0.1, 0.5), Word(" two", 0.6, 1.0), Word(" three", 2.0, 2.5)]
    transcriber, _ = scripted(Hypothesis((), "en"), decode=DecodeOptions(vocabulary=listed))
    transcriber.recall(words)
    transcriber.forget_before(1.5)
    assert transcriber.prompt == prompt
    assert transcriber.next_span().reference.committed == (words[2],)


def timed(*texts: str, seconds: float, start: float = 2.0) -> Hypothesis:
    """Make a hypothesis of words of this length, one after the other."""
    spans = [(start + i * seconds, start + (i + 1) * seconds) for i in range(len(texts))]
    return Hypothesis(tuple(Word(f" {text}", *span, 0.9) for text, span in zip(texts, spans, strict=True)), "en")


@pytest.mark.parametrize(
    ("prompted", "alone", "committed"),
    [
        (("She", "said."), ("Very", "glad,", "she", "said."), "Very glad, she said."),
        (("She", "said."), ("So", "glad,", "she", "said."), "She said."),  # nobody had said "so"
        (("She", "said."), ("Very", "glad,", "then", "she", "said."), "Very glad, then she said."),
        (("She", "said."), ("He", "said."), "She said."),
        (("Glad.",), ("Glad.", "Glad."), "Glad. Glad."),  # within one breath
        (("So", "very"), ("So", "very,", "very"), "So very, very"),
        ((), ("Very", "glad."), "Very glad."),
        ((), ("Thank", "you."), ""),
    ],
)
def test_case_what_repeats_the_text_before_a_pause_is_heard_without_it(
    prompted: tuple[str, ...], alone: tuple[str, ...], committed: str
) -> None:
    passed_over = timed(*prompted, seconds=1.0)
    transcriber, recognizer = scripted(heard(" Very", " glad."), passed_over, timed(*alone, seconds=0.4), seconds=1.5)
    transcriber.close(voiced_until=1.0)
    transcriber.begin_speech(2.0, pre_roll_seconds=0.5)
    transcriber.add(np.zeros(3 * SAMPLE_RATE_HZ, np.float32))
    assert text_of(transcriber.close().committed) == committed
    assert recognizer.prompts == ["", "Very glad.", ""]


def test_case_the_draft_tells_what_was_passed_over_without_another_hearing() -> None:
    draft = timed("The", "stage.", "The", "stage.", seconds=0.4).words
    passed_over = replace(timed("The", "stage.", seconds=0.8), draft=draft)
    transcriber, recognizer = scripted(heard(" The", " stage."), passed_over, seconds=1.5)
    transcriber.close(voiced_until=1.0)
    transcriber.begin_speech(2.0, pre_roll_seconds=0.5)
    transcriber.add(np.zeros(3 * SAMPLE_RATE_HZ, np.float32))
    assert text_of(transcriber.close().committed) == "The stage. The stage."
    assert recognizer.prompts == ["", "The stage."]


def test_a_first_word_of_usual_length_is_heard_once() -> None:
    transcriber, recognizer = scripted(heard(" Very", " glad."), timed("She", "said.", seconds=0.4), seconds=1.5)
    transcriber.close(voiced_until=1.0)
    transcriber.begin_speech(2.0, pre_roll_seconds=0.5)
    transcriber.add(np.zeros(3 * SAMPLE_RATE_HZ, np.float32))
    transcriber.close()
    assert recognizer.prompts == ["", "Very glad."]


def test_a_committed_word_that_a_newer_hypothesis_ends_sooner_is_cut_off_with_its_audio() -> None:
    late = Word(" One.", 3.0, 4.2)
    rest = [Word(f" w{i}", 4.4 + 0.2 * i, 4.6 + 0.2 * i) for i in range(5)]
    first = Hypothesis((late, *rest), "en")
    second = Hypothesis((Word(" One.", 3.0, 3.8), *rest), "en")  # cut at 4.0, before the committed end
    transcriber, _ = scripted(first, first, second, seconds=5.4, buffer_seconds=5.5, policy="local-agreement")
    transcriber.hear()
    assert text_of(transcriber.hear().committed).startswith("One.")
    transcriber.add(np.zeros(SAMPLE_RATE_HZ, np.float32))
    transcriber.hear()
    assert transcriber.buffer.start_seconds == pytest.approx(4.0)
    assert transcriber.prompt == "One."


def test_the_prompt_is_the_last_whole_words_of_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcribers, "PROMPT_CHARACTERS", 10)
    words = steady(30)
    transcriber, _ = transcriber_for(words)
    transcriber.add(plant(words))
    transcriber.close()
    assert transcriber.prompt == "w29 w30"


# --- trimming ---


def test_a_short_buffer_is_not_trimmed() -> None:
    words = steady(8)
    transcriber, _ = transcriber_for(words, buffer_seconds=5)
    feed(transcriber, plant(words))
    assert transcriber.buffer.start_seconds == 0


def trimmed_at(words: list[Word]) -> float:
    """Return where the buffer begins after rounds over words that outlast its 5 seconds a little."""
    transcriber, _ = transcriber_for(words, buffer_seconds=5)
    feed(transcriber, plant(words))
    return transcriber.buffer.start_seconds


def sentence_words(*texts: str) -> list[Word]:
    return [replace(word, text=f" {text}") for word, text in zip(steady(len(texts)), texts, strict=True)]


LINE = ("One", "two.", "Three", "four,", "five", "six.", "Seven", "eight", "nine", "ten", "eleven", "twelve")


def test_the_buffer_is_cut_at_the_last_committed_segment_before_the_newest() -> None:
    assert trimmed_at(sentence_words(*LINE)) == 3.0  # after "six."


def test_the_buffer_is_cut_at_clauses_and_pauses_too() -> None:
    line = [*LINE[:5], "six", *LINE[6:]]
    assert trimmed_at(sentence_words(*line)) == 2.0  # after "four,"
    paused = [
        replace(word, start=word.start + 0.6 * (i > 2), end=word.end + 0.6 * (i > 2))
        for i, word in enumerate(steady(10))
    ]
    assert trimmed_at(paused) == pytest.approx(1.7)  # within the pause


@both_policies
def test_a_buffer_without_a_place_to_cut_is_cut_at_the_last_committed_word(policy: str) -> None:
    words = steady(60)
    transcriber, _ = transcriber_for(words, buffer_seconds=5, policy=policy)
    committed = feed(transcriber, plant(words))
    assert transcriber.buffer.seconds <= 10
    committed += transcriber.close().committed
    assert text_of(committed) == text_of(words)


@dataclass
class Fickle(PlantedRecognizer):
    """Never says the same twice, and doubts what it says."""

    probability: float = 1.0

    def hear(self, samples: np.ndarray, **context: object) -> Hypothesis:
        said = super().hear(samples, **context)  # type: ignore[arg-type]
        texts = [f"{word.text}-{len(self.calls)}" for word in said.words]
        words = [replace(w, text=t, probability=self.probability) for w, t in zip(said.words, texts, strict=True)]
        return replace(said, words=tuple(words))


@pytest.mark.parametrize("options", [{}, {"policy": "alignatt", "attention_margin_seconds": 2.0}])
def test_where_nothing_is_ever_agreed_on_the_older_half_is_committed_and_none_is_lost(options: dict[str, str]) -> None:
    words = steady(60)
    recognizer = Fickle(words, unsteady_seconds=0.0, probability=0.5)
    transcriber = Transcriber(recognizer, CaptionOptions(buffer_seconds=5, **options))  # type: ignore[arg-type]
    committed = feed(transcriber, plant(words))
    assert transcriber.buffer.seconds <= 10
    committed += transcriber.close().committed
    assert [word.text.split("-")[0] for word in committed] == [word.text for word in words]


@pytest.mark.parametrize(("asked", "wanted"), [(None, 6.0), (15.0, 15.0)])
def test_the_buffer_is_as_long_as_suits_the_model_unless_asked_otherwise(asked: float | None, wanted: float) -> None:
    words = steady(60)
    recognizer = PlantedRecognizer(words, unsteady_seconds=0.0, buffer_seconds=6.0)
    feed(Transcriber(recognizer, CaptionOptions(buffer_seconds=asked)), plant(words))
    held = max(end - start for start, end, _ in recognizer.calls)
    assert wanted < held <= wanted + GRACE_SECONDS + 1.0


@pytest.mark.parametrize("verdict", [{"no_speech_probability": 0.95}, {"compression_ratio": 3.0}, {}])
@pytest.mark.parametrize("buffer_seconds", [5.0, 28.0])
@both_policies
def test_the_buffer_stays_bounded_where_nothing_is_heard_at_all(
    policy: str, verdict: dict[str, float], buffer_seconds: float
) -> None:
    answers = [heard(**verdict) for _ in range(60)]
    transcriber, _ = scripted(*answers, seconds=0.0, buffer_seconds=buffer_seconds, policy=policy)
    for _ in range(60):
        transcriber.add(np.zeros(SAMPLE_RATE_HZ, np.float32))
        transcriber.hear()
        assert transcriber.buffer.seconds <= min(buffer_seconds + 5, 27)


# --- guards ---


@both_policies
def test_a_discarded_round_leaves_the_agreement_as_it_was(policy: str) -> None:
    unsure = heard(" one", average_logprob=-0.5)  # 61% likely
    transcriber, _ = scripted(unsure, heard(" la", " la", compression_ratio=9.0), unsure, policy=policy)
    assert transcriber.hear().committed == ()
    skipped = transcriber.hear()
    assert (skipped.verdict, text_of(skipped.pending)) == ("discarded", "one")
    assert text_of(hear_on(transcriber).committed) == "one"


def test_a_last_round_that_fails_commits_what_was_heard_before() -> None:
    transcriber, _ = scripted(heard(" one"), heard(" la", average_logprob=-3.0), policy="local-agreement")
    transcriber.hear()
    assert text_of(transcriber.close().committed) == "one"


def test_a_last_round_that_hears_no_speech_drops_what_was_only_guessed() -> None:
    transcriber, _ = scripted(heard(" you"), heard(" you", no_speech_probability=0.95))
    transcriber.hear()
    assert transcriber.close().committed == ()
    assert transcriber.pending == ()


# --- language ---


def test_words_that_are_translated_into_english_are_spaced_as_english_is() -> None:
    into_english = replace(CaptionOptions().decode, into_english=True)
    transcriber, _ = scripted(heard("Hello", " there", language="ja"), decode=into_english)
    assert transcriber.close().committed[0].text == " Hello"
    assert (transcriber.language, transcriber.written_language) == ("ja", "en")


def spoken(*languages: str, probability: float = 1.0) -> list[Hypothesis]:
    return [heard(" x", language=language, language_probability=probability) for language in languages]


def test_a_given_language_is_always_asked_for() -> None:
    transcriber, recognizer = scripted(*spoken("de", "de"), language="de")
    transcriber.hear()
    transcriber.close()
    assert recognizer.asked == ["de", "de"]


def test_a_language_detected_twice_holds_until_the_speaker_pauses() -> None:
    transcriber, recognizer = scripted(*spoken("de", "en", "en", "en", "en", "de", probability=0.7))
    rounds: list[Callable[[], object]] = [transcriber.hear] * 4 + [transcriber.close]
    for go in rounds:
        go()
    assert recognizer.asked == [None, None, None, "en", "en"]
    transcriber.add(np.zeros(4 * SAMPLE_RATE_HZ, np.float32))
    transcriber.hear()
    assert recognizer.asked[-1] is None
    assert transcriber.language == "de"


@pytest.mark.parametrize(("probability", "rounds"), [(0.3, None), (LEAST_PROBABILITY, 3), (CERTAIN_PROBABILITY, 2)])
def test_case_words_wait_for_a_language_that_is_believed(probability: float, rounds: int | None) -> None:
    answers = spoken(*["pt"] * 3, probability=probability)
    transcriber, _ = scripted(*answers, seconds=1.0, policy="local-agreement")
    committed = [text_of(hear_on(transcriber).committed) for _ in answers]
    assert (committed.index("x") + 1 if "x" in committed else None) == rounds
    assert rounds is not None or text_of(transcriber.pending) == "x"


def test_case_an_utterance_does_not_change_its_language_by_one_doubtful_detection() -> None:
    answers = [*spoken("es"), *spoken("pt", "es", "pt", "pt", probability=0.7)]
    transcriber, recognizer = scripted(*answers, policy="alignatt", attention_margin_seconds=0.5)
    transcriber.close()
    transcriber.add(np.zeros(4 * SAMPLE_RATE_HZ, np.float32))
    assert text_of(transcriber.hear().pending) == "x"  # Portuguese, held
    transcriber.hear()
    assert recognizer.asked == [None] * 3 and transcriber.language == "es"


def test_case_the_last_round_writes_what_it_heard_in_whatever_language() -> None:
    transcriber, recognizer = scripted(*spoken("pt", "de", probability=0.3))
    assert text_of(transcriber.close().committed) == "x"
    transcriber.add(np.zeros(SAMPLE_RATE_HZ, np.float32))
    transcriber.close()
    assert recognizer.asked == [None, None], "a doubtful language is no reason to hear the next words in it"


def test_little_audio_is_heard_in_the_language_before() -> None:
    transcriber, recognizer = scripted(*spoken("de", "de", "de"))
    transcriber.close()
    transcriber.add(np.zeros(SAMPLE_RATE_HZ, np.float32))
    transcriber.hear()
    transcriber.add(np.zeros(3 * SAMPLE_RATE_HZ, np.float32))
    transcriber.hear()
    assert recognizer.asked == [None, "de", None]


def test_case_the_first_word_begins_with_the_speech_and_not_with_the_audio_before_it() -> None:
    transcriber, _ = scripted(heard(" one", " two", " three"))  # from 0 s on, half a second each
    transcriber.begin_speech(0.4, pre_roll_seconds=1.0)
    closed = transcriber.close()
    assert [(word.start, word.end) for word in closed.committed] == [
        (pytest.approx(0.3), 0.5),  # the beginning of a word may be too soft for the gate
        (0.5, 1.0),
        (1.0, 1.5),
    ]


def test_a_word_before_the_gate_knew_of_speech_keeps_its_time() -> None:
    transcriber, _ = scripted(heard(" uh", " one"))
    transcriber.begin_speech(0.7, pre_roll_seconds=1.0)
    assert [word.start for word in transcriber.close().committed] == [0.0, pytest.approx(0.6)]


def test_case_what_is_said_again_after_a_pause_is_written_again() -> None:
    again = [
        Word(text, 1.4 + i * 0.3, 1.7 + i * 0.3, 0.9) for i, text in enumerate((" Thank", " you", " very", " much."))
    ]
    transcriber, _ = scripted(heard(" Thank", " you."), Hypothesis(tuple(again), "en"))
    assert text_of(transcriber.close(voiced_until=1.0).committed) == "Thank you."
    transcriber.add(np.zeros(SAMPLE_RATE_HZ, np.float32))
    assert text_of(transcriber.close().committed) == "Thank you very much."
