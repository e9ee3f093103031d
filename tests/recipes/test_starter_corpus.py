"""What a model that hears is taught: texts, times and targets."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from engine.errors import EngineError
from engine.recipes.espeak import Voice, espeak
from engine.recipes.starter_examples import (
    IGNORE,
    SPARE_SECONDS,
    Scene,
    Targets,
    Utterance,
    begin_late,
    cut,
    join,
    read_shard,
)
from engine.recipes.starter_text import (
    check_texts,
    fraction,
    held_out_sentences,
    is_held_out,
    is_plain,
    training_sentences,
)
from engine.recipes.starter_tokens import (
    END,
    ENGLISH,
    NO_SPEECH,
    NO_TIMESTAMPS,
    PREVIOUS,
    START,
    TIME_ZERO,
    TRANSCRIBE,
    collect_vocabulary,
    load_encoding,
    published_vocabulary,
)


@pytest.fixture(scope="module")
def utterances(corpus: Path) -> list[Utterance]:
    return read_shard(corpus / "corpus" / "speech-0000.jsonl")


@pytest.fixture(scope="module")
def targets(utterances: list[Utterance]) -> Targets:
    encoding = load_encoding(published_vocabulary())
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    texts = [utterance.text for utterance in utterances]
    return Targets(encoding, collect_vocabulary(encoding, texts + letters + [f"x{c}" for c in letters], 1))


def full(targets: Targets, rows: np.ndarray) -> list[int]:
    return [int(targets.vocabulary.full_ids[row]) if row != IGNORE else IGNORE for row in rows]


def test_held_out_sentences_are_never_trained_on(data: Path) -> None:
    many = [f"This is sentence {word}." for word in map(str, range(5000))]
    held = {sentence for sentence in many if is_held_out(sentence.replace("0", "o"))}
    assert not set(held_out_sentences(data)) & set(training_sentences(data))
    assert all(not is_held_out(sentence) for sentence in training_sentences(data))
    assert len(held) < len(many) / 32


def test_case_and_punctuation_do_not_change_the_side_a_sentence_is_on() -> None:
    assert fraction("Can you hear me?") == fraction("can you, hear me")


def test_sentences_with_digits_or_capital_runs_are_not_plain() -> None:
    assert is_plain("Let's start the meeting.")
    assert not is_plain("I have 3 cats.")
    assert not is_plain("NASA is here.")
    assert not is_plain("no capital.")


def test_dialogue_turns_become_cased_sentences(data: Path) -> None:
    assert {"One latte please.", "Is that all?"} <= set(training_sentences(data)) | set(held_out_sentences(data))


def test_word_times_rise_and_lie_in_the_audio(utterances: list[Utterance]) -> None:
    for utterance in utterances:
        starts, ends = utterance.words.T
        assert len(starts) == len(utterance.text.split())
        assert (np.diff(starts) >= 0).all()
        assert (ends >= starts).all()
        assert (ends[:-1] <= starts[1:] + 1e-6).all()
        assert ends[-1] <= utterance.seconds + 1e-6


def test_words_spoken_as_one_still_have_times_each() -> None:
    speech = espeak().speak("The end of the day of the week.", Voice())
    assert all(end > start for start, end in speech.words)


def test_an_unknown_voice_is_refused() -> None:
    with pytest.raises(ValueError, match="no voice"):
        espeak().speak("Hello.", Voice("no-such-voice"))


def test_a_cut_keeps_only_words_that_were_heard_to_their_end(utterances: list[Utterance]) -> None:
    scene = join(utterances[:3], [0.2, 0.5, 0.5, 0.1])
    said = " ".join(word for words in scene.sentences for word in words)
    for seconds in np.linspace(0.1, scene.seconds - 0.05, 25):
        part = cut(scene, float(seconds))
        kept = [word for words in part.sentences for word in words]
        times = np.concatenate(part.words) if part.words else np.empty((0, 2))
        assert part.seconds == pytest.approx(seconds, abs=1e-3)
        assert len(kept) == len(times)
        assert (times[:, 1] <= seconds + SPARE_SECONDS).all()
        assert said.startswith(" ".join(kept).rstrip(".,?!"))
        if kept and seconds < times[-1, 1] + 0.1:
            assert kept[-1][-1] not in ".,?!"


def test_a_late_beginning_keeps_the_words_that_follow_it(utterances: list[Utterance]) -> None:
    scene = join(utterances[:3], [0.2, 0.5, 0.5, 0.1])
    said = [word for words in scene.sentences for word in words]
    starts = np.concatenate(scene.words)[:, 0]
    for first in range(len(said)):
        late, before = begin_late(scene, first, 3)
        assert before == said[:first]
        assert [word for words in late.sentences for word in words] == said[first:]
        offset = scene.seconds - late.seconds
        assert 0.0 <= starts[first] - offset <= 0.081 + 1e-3 or first == 0
        np.testing.assert_allclose(np.concatenate(late.words)[:, 0] + offset, starts[first:], atol=1e-3)
        assert late.phonemes is not None
        assert len(late.phonemes) >= late.seconds / 0.02


def test_targets_follow_whispers_sequence(targets: Targets, utterances: list[Utterance]) -> None:
    example = targets.example(join(utterances[1:2], [0.3, 0.2]))
    tokens, wanted = full(targets, example.tokens), full(targets, example.targets)
    assert tokens[:4] == [START, ENGLISH, TRANSCRIBE, NO_TIMESTAMPS]
    assert wanted[:3] == [ENGLISH, TRANSCRIBE, NO_TIMESTAMPS]
    assert wanted[-1] == END
    assert tokens[1:] == wanted[:-1]
    assert targets.text([int(row) for row in example.targets[3:]]) == "Can you hear me?"


def test_each_token_knows_where_its_word_is(targets: Targets, utterances: list[Utterance]) -> None:
    scene = join(utterances[3:4], [0.5, 0.4])
    windows = targets.example(scene).windows
    assert np.isnan(windows[:3]).all()
    assert windows[3, 0] == pytest.approx(scene.words[0][0, 0], abs=1e-5)
    assert windows[-1, 1] == pytest.approx(scene.seconds, abs=1e-4)
    assert (np.diff(windows[3:, 0]) >= 0).all()


def test_a_prompt_is_fed_in_but_not_learnt(targets: Targets, utterances: list[Utterance]) -> None:
    example = targets.example(join(utterances[1:2], [0.0, 0.0]), previous=["Thank", "you."])
    tokens, wanted = full(targets, example.tokens), full(targets, example.targets)
    start = tokens.index(START)
    assert tokens[0] == PREVIOUS
    assert set(wanted[:start]) == {IGNORE}
    assert wanted[start] == ENGLISH


def test_timestamps_stand_around_each_sentence(targets: Targets, utterances: list[Utterance]) -> None:
    scene = join(utterances[1:3], [0.4, 0.6, 0.2])
    wanted = full(targets, targets.example(scene, timestamps=True).targets)
    times = [(token - TIME_ZERO) * 0.02 for token in wanted if token >= TIME_ZERO]
    expected = [edge for words in scene.words for edge in (words[0, 0], words[-1, 1])]
    assert NO_TIMESTAMPS not in wanted
    assert times == pytest.approx(expected, abs=0.0101)


def test_silence_is_no_speech_and_half_a_word_is_speech(targets: Targets, utterances: list[Utterance]) -> None:
    silence = targets.example(Scene(np.zeros(16_000, np.float32)))
    assert full(targets, silence.targets) == [NO_SPEECH, TRANSCRIBE, NO_TIMESTAMPS, END]
    half = targets.example(cut(join(utterances[:1], [0.0, 0.0]), 0.08))
    assert full(targets, half.targets) == [ENGLISH, TRANSCRIBE, NO_TIMESTAMPS, END]
    before = targets.example(cut(join(utterances[:1], [0.5, 0.0]), 0.3))
    assert full(targets, before.targets)[0] == NO_SPEECH
    assert math.isnan(silence.windows[-1, 0])


def test_words_without_a_token_of_their_own_are_spelled(targets: Targets) -> None:
    rows = targets.rows("xa xb xc")
    assert targets.text(rows[4:]) == "xa xb xc"


def test_a_folder_without_sentences_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="holds no sentences"):
        check_texts(tmp_path)
