"""The built-in voice: the first sound before the rest, pauses that hold nothing up, and any text at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from engine.errors import OptionError, VoiceError
from engine.options import VoiceOptions
from engine.speak import espeak as module
from engine.speak.choice import make_voice
from engine.speak.espeak import MOST_CLAUSE_CHARACTERS, EspeakVoice
from engine.speak.espeak_library import CLAUSE_END, EspeakLibrary, SpokenEvent, espeak_library
from engine.speak.voice import CHUNK_SECONDS, plain_text

LONG = "Sure, I have turned on the lights; and it is 3.14 degrees. Dr. Smith said: “Hello, world!” Yes?"


def said(text: str, speaker: str | None = None, words_per_minute: int = 175) -> np.ndarray:
    voice = EspeakVoice(speaker, words_per_minute)
    return np.concatenate([np.zeros(0, np.float32), *voice.speak(text)])


def seconds(samples: np.ndarray) -> float:
    return len(samples) / espeak_library().rate_hz


def said_at_once(text: str, voice: str = "en-us") -> np.ndarray:
    """Speak a text without dividing it into clauses: the plain path."""
    parts: list[np.ndarray] = []

    def receive(samples: np.ndarray, events: list[SpokenEvent]) -> bool:
        parts.append(samples)
        return True

    espeak_library().speak(text, receive, voice=voice, words_per_minute=175)
    return np.concatenate(parts).astype(np.float32) / 32768


@pytest.fixture
def clauses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Texts that the library is asked to say, one call after another."""
    asked: list[str] = []
    speak: Callable[..., None] = EspeakLibrary.speak

    def spy(self: EspeakLibrary, text: str, *arguments: object, **chosen: object) -> None:
        asked.append(text)
        speak(self, text, *arguments, **chosen)

    monkeypatch.setattr(EspeakLibrary, "speak", spy)
    return asked


def test_chunks_are_a_twentieth_of_a_second_of_sound_within_range() -> None:
    voice = EspeakVoice()
    chunks = list(voice.speak(LONG))
    assert {len(chunk) for chunk in chunks[:-1]} == {round(CHUNK_SECONDS * voice.rate_hz)}
    assert all(chunk.dtype == np.float32 and np.abs(chunk).max() <= 1 for chunk in chunks)
    assert np.abs(np.concatenate(chunks)).max() > 0.1


def test_the_first_chunk_comes_before_the_rest_is_made(clauses: list[str]) -> None:
    utterance = EspeakVoice().speak(f"Sure, {'I have turned on the kitchen lights, and more, ' * 40}")
    assert clauses == []
    next(utterance)
    assert len(clauses) == 1
    assert sum(1 for _ in utterance) > 1000
    assert len(clauses) > 80


@pytest.mark.parametrize(
    ("text", "voice"),
    [
        (LONG, "en-us"),
        ("Zażółć, gęślą jaźń. Äpfel, Öl!", "pl"),
        ("𝔘𝔫𝔦, 😀 gut. Ja, ja!", "de"),
        ("日本語です。元気ですか。", "en-us"),
        ("Привет, мир. Как дела?", "ru"),
        ("नमस्ते, दुनिया। कैसे हो?", "hi"),
        ("e.g. this, i.e. 1,000,000 that… and so on — yes", "en-us"),
    ],
)
def test_clause_by_clause_it_sounds_as_all_at_once(text: str, voice: str) -> None:
    whole, joined = said_at_once(text, voice), said(text, voice)
    assert abs(seconds(whole) - seconds(joined)) < 0.1
    frame = round(0.1 * espeak_library().rate_hz)
    count = min(len(whole), len(joined)) // frame
    loudness = [
        np.sqrt(np.square(each[: count * frame].reshape(count, frame)).mean(axis=1)) for each in (whole, joined)
    ]
    assert np.corrcoef(loudness)[0, 1] > 0.9


def test_joints_of_clauses_do_not_click() -> None:
    whole, joined = said_at_once(LONG), said(LONG)
    assert np.abs(np.diff(joined)).max() < 1.2 * np.abs(np.diff(whole)).max()


def test_an_utterance_goes_on_where_it_paused_whatever_is_said_meanwhile() -> None:
    voice, other = EspeakVoice(), EspeakVoice("de", 120)
    undisturbed = np.concatenate(list(voice.speak(LONG)))
    paused, second = voice.speak(LONG), other.speak("Guten Tag, wie geht es Ihnen heute? Gut.")
    parts = [next(paused), next(second), next(paused)]
    said_between = list(second)
    joined = np.concatenate([parts[0], parts[2], *paused])
    assert len(said_between) > 20
    assert abs(seconds(joined) - seconds(undisturbed)) < 0.1


def test_two_utterances_that_take_turns_end_both() -> None:
    voice = EspeakVoice()
    alone = [sum(len(chunk) for chunk in voice.speak(text)) for text in (LONG, "One, two, three, four.")]
    first, second = voice.speak(LONG), voice.speak("One, two, three, four.")
    lengths = [0, 0]
    for left, right in zip(first, second, strict=False):
        lengths[0] += len(left)
        lengths[1] += len(right)
    lengths[0] += sum(len(chunk) for chunk in first)
    lengths[1] += sum(len(chunk) for chunk in second)
    # zip reads a chunk of the longer one and drops it.
    assert abs(lengths[1] - alone[1]) < 300
    assert alone[0] - lengths[0] < 2 * CHUNK_SECONDS * voice.rate_hz


def test_a_cancelled_utterance_says_no_more_and_harms_none(clauses: list[str]) -> None:
    voice = EspeakVoice()
    cancelled, kept = voice.speak(LONG), voice.speak(LONG)
    next(cancelled)
    next(kept)
    cancelled.close()
    asked = len(clauses)
    assert list(cancelled) == []
    assert len(clauses) == asked
    assert sum(1 for _ in kept) > 50


def test_threads_speak_one_after_another() -> None:
    def speak(number: int) -> float:
        return seconds(said(f"{LONG} {number}.", "de" if number % 2 else "en-us"))

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(speak, range(8)))
    assert together == pytest.approx([speak(number) for number in range(8)], abs=0.1)


@pytest.mark.parametrize("text", ["", " \n\t", "...", "?!", "—", "“”", "\0", "\x01\x02", "\u2028", "\u200b", ". . ."])
def test_what_has_no_words_makes_no_sound_and_no_work(text: str, clauses: list[str]) -> None:
    assert len(said(text)) == 0
    assert clauses == []


@pytest.mark.parametrize("text", ["5 €", "😀", "a", "…and", "日本", "1.", "100 %"])
def test_whatever_can_be_said_makes_sound(text: str) -> None:
    assert seconds(said(text)) > 0.1


def test_markup_is_read_out_and_not_obeyed() -> None:
    spoken = said("<speak><prosody rate='500%'>one</prosody><break time='20s'/> two</speak>")
    assert seconds(said("one two")) + 2 < seconds(spoken) < 20
    assert seconds(said("[[h@l'oU]] there")) > seconds(said("there")) + 0.3
    assert seconds(said("Fish &amp; chips")) > seconds(said("Fish & chips"))


def test_control_characters_give_no_commands() -> None:
    fast = seconds(said("one two three four five six", words_per_minute=400))
    plain = seconds(said("one two three four five six"))
    # Ctrl-A, a number and S would set the rate of speech.
    assert seconds(said("\x01400Sone two three four five six")) > plain > 1.5 * fast
    assert plain_text("one\0two\x01 three\r\n\tfour\u2029five\ud800") == "one two three four five"


def test_text_behind_a_zero_is_spoken_too() -> None:
    assert seconds(said("one\0two three four")) == pytest.approx(seconds(said("one two three four")), abs=0.05)


@pytest.mark.parametrize(
    "text",
    ["word " * 2000, "a" * 3000, "漢" * 600, "1" * 500, "no, " * 500],
    ids=["words", "letters", "han", "digits", "no"],
)
def test_very_long_texts_come_piece_by_piece(text: str, clauses: list[str]) -> None:
    utterance = EspeakVoice().speak(text)
    next(utterance)
    assert len(clauses) == 1
    assert len(clauses[0]) <= MOST_CLAUSE_CHARACTERS
    utterance.close()


def test_no_word_of_a_long_text_is_lost(clauses: list[str]) -> None:
    text = " ".join(f"word{number}" for number in range(120))
    together = seconds(said(text))
    ends = [piece.split()[-1] for piece in clauses[:-1]]
    assert all(end in text.split() for end in ends)  # cut between words
    assert together == pytest.approx(sum(seconds(said(word)) for word in text.split()), rel=0.3)


def test_every_listed_voice_speaks() -> None:
    library = espeak_library()
    languages = [name for name in library.languages() if name not in ("fo", "kaa", "xex")]  # no dictionary came along
    assert {"en-us", "en-gb", "de", "fr-fr", "es", "zh", "pt-br"} <= set(languages)
    silent = [name for name in languages if not len(said("1", name))]
    assert silent == []


def test_rate_and_speaker_are_heard() -> None:
    slow, fast = seconds(said(LONG, words_per_minute=80)), seconds(said(LONG, words_per_minute=450))
    assert slow > 3 * fast
    low, high = (np.argmax(np.abs(np.fft.rfft(said("ah", name)))[:400]) for name in ("en-us", "en-us+f3"))
    assert low != high


def test_names_of_voices_tell_speech_apart() -> None:
    options = [VoiceOptions("espeak"), VoiceOptions("espeak", "de"), VoiceOptions("espeak", words_per_minute=200)]
    assert len({make_voice(each).name for each in options}) == 3
    assert make_voice(options[0]).name == make_voice(VoiceOptions("espeak", "en-us")).name


@pytest.mark.parametrize("speaker", ["klingonese", "../../etc/passwd", "de/", "mb-de1", "en-us ", "\0", "日本"])
def test_an_unknown_speaker_is_answered_with_some_there_are(speaker: str) -> None:
    with pytest.raises(OptionError, match=r"speaker must be one of .* not .*en-us.*de"):
        make_voice(VoiceOptions("espeak", speaker))


def test_an_unknown_variant_is_answered_with_some_there_are() -> None:
    with pytest.raises(OptionError, match=r"'de' has no variant 'nobody': choose of .* and others"):
        make_voice(VoiceOptions("espeak", "de+nobody"))


def test_a_library_that_fails_in_the_middle_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    utterance = EspeakVoice().speak(LONG)
    next(utterance)

    def broken(*arguments: object, **chosen: object) -> None:
        raise RuntimeError("espeak-ng failed with error 7")

    with monkeypatch.context() as patched:
        patched.setattr(EspeakLibrary, "speak", broken)
        with pytest.raises(VoiceError, match="built-in voice failed: espeak-ng failed with error 7"):
            list(utterance)
    assert list(utterance) == []
    assert seconds(said("and it speaks again")) > 0.5


def test_what_goes_wrong_in_the_callback_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def receive(samples: np.ndarray, events: list[SpokenEvent]) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        espeak_library().speak(LONG, receive, voice="en-us", words_per_minute=175)
    assert seconds(said("and it speaks again")) > 0.5


def test_a_missing_library_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> EspeakLibrary:
        raise OSError("libespeak-ng.so: no such file")

    monkeypatch.setattr(module, "espeak_library", missing)
    with pytest.raises(VoiceError, match=r"does not start: libespeak-ng.so: no such file\. Install Earshot again"):
        EspeakVoice()


def test_the_library_tells_where_clauses_end() -> None:
    ends: list[int] = []

    def receive(samples: np.ndarray, events: list[SpokenEvent]) -> bool:
        ends.extend(event.position for event in events if event.kind == CLAUSE_END)
        return True

    espeak_library().speak("Zażółć, gęślą jaźń. Öl!", receive, voice="pl", words_per_minute=175)
    assert ends == [8, 20, 23]


def test_a_voice_is_imported_only_when_it_is_chosen() -> None:
    program = (
        "import sys; from engine.speak.choice import make_voice; from engine.options import VoiceOptions;"
        "loaded = lambda: {name for name in ('espeakng_loader', 'engine.speak.system', 'engine.speak.kokoro', 'mlx',"
        " 'onnx', 'mlx_audio', 'soundfile', 'PySide6') if name in sys.modules};"
        "before = loaded(); make_voice(VoiceOptions('espeak')); print(before, loaded())"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[0] == "set() {'espeakng_loader'}"
