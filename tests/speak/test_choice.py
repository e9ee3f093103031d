"""The voice that was chosen, one for another language, and what speaks where it cannot be used."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError, OptionError
from engine.models.catalogue import catalogue
from engine.models.hub_cache import CachedRepository
from engine.options import VoiceOptions
from engine.speak import choice
from engine.speak.choice import in_language, make_voice, speakers_of, usable_voice
from engine.speak.espeak import EspeakVoice
from engine.translate.spoken import voice_into
from tests.speak.scripted_voice import ScriptedVoice
from tests.speak.small_voices import write_hibari, write_kokoro, write_piper


@pytest.fixture(autouse=True)
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of downloads."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("engine.models.added_models.added_path", lambda: tmp_path / "models.json")
    return tmp_path / "hub"


def downloaded(name: str, language: str = "en-us") -> Path:
    """Lay a voice down where a download of the catalogue's voice of that name would be."""
    entry = catalogue()[name]
    assert entry.repo is not None
    cached = CachedRepository(entry.repo)
    folder = cached.folder / "snapshots" / ("0" * 40)
    (cached.folder / "refs").mkdir(parents=True)
    (cached.folder / "refs" / "main").write_text("0" * 40)
    if name == "kokoro":
        write_kokoro(folder)
        (folder / "kokoro.onnx").rename(folder / entry.files[0].name)
    else:
        write_piper(folder, language)
        for suffix in ("", ".json"):
            (folder / f"small.onnx{suffix}").rename(folder / f"{entry.files[0].name}{suffix}")
    return folder


@pytest.mark.parametrize(("speaker", "language"), [("en-gb", "en"), ("en-us+f3", "en"), ("de", "de"), ("fr-be", "fr")])
def test_a_voice_that_speaks_the_language_is_kept(speaker: str, language: str) -> None:
    voice = EspeakVoice(speaker)
    assert in_language(voice, language) is voice


@pytest.mark.parametrize(
    ("language", "name"), [("de", "espeak de 140"), ("fr", "espeak fr-fr 140"), ("es", "espeak es 140")]
)
def test_another_language_is_spoken_by_the_built_in_voice_at_the_same_rate(language: str, name: str) -> None:
    assert in_language(EspeakVoice("en-us", 140), language).name == name
    assert in_language(EspeakVoice("it", 140), language).name == name


def test_of_a_voice_that_is_not_known_nothing_is_changed() -> None:
    voice = ScriptedVoice()
    assert in_language(voice, "de") is voice


def test_a_natural_voice_hands_another_language_to_one_of_its_kind_if_there_is_one(tmp_path: Path) -> None:
    downloaded("piper-joe")
    english = make_voice(VoiceOptions("piper", words_per_minute=150))
    assert english.name == "piper en_US-joe-medium 150"
    assert in_language(english, "de").name == "espeak de 150"
    downloaded("piper-thorsten", "de")
    assert in_language(english, "de").name == "piper de_DE-thorsten-medium 150"
    downloaded("kokoro")
    kokoro = make_voice(VoiceOptions("kokoro"))
    assert (kokoro.name, in_language(kokoro, "fr").name) == ("kokoro af_heart 175", "kokoro ff_siwis 175")
    assert in_language(kokoro, "de").name == "espeak de 175"
    hibari = make_voice(VoiceOptions(str(write_hibari(tmp_path / "hibari"))))
    assert in_language(hibari, "en") is hibari
    assert in_language(hibari, "de").name == "espeak de 175"


def test_a_voice_from_a_folder_speaks_whatever_language_it_knows(tmp_path: Path) -> None:
    folder = write_kokoro(tmp_path / "kokoro")
    english = make_voice(VoiceOptions(str(folder), "bf_emma", 150))
    french = in_language(english, "fr")
    assert (french.name, french.language, french.words_per_minute) == ("kokoro ff_siwis 150", "fr", 150)
    assert french.store_name != english.store_name
    assert english.name == "kokoro bf_emma 150"
    assert in_language(french, "fr") is french
    assert len(np.concatenate(list(french.speak("Bonjour.")))) > 0


def test_a_voice_whose_folder_is_gone_leaves_other_languages_to_espeak(tmp_path: Path) -> None:
    folder = write_kokoro(tmp_path / "kokoro")
    english = make_voice(VoiceOptions(str(folder), "bf_emma"))
    shutil.rmtree(folder)
    assert in_language(english, "fr").name == "espeak fr-fr 175"


def test_a_voice_speaks_a_language_that_requests_have_not(tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "faber", "pt-br")
    assert make_voice(VoiceOptions(str(folder))).language == "pt"
    voice, problem = voice_into(VoiceOptions(str(folder)), "pt")
    assert (voice.name.split()[0], problem) == ("piper", "")


@pytest.mark.parametrize(("of_espeak", "language"), [("cmn", "zh"), ("nb", "no")])
def test_a_voice_speaks_a_language_that_espeak_calls_otherwise(of_espeak: str, language: str, tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "voice", of_espeak)
    voice, problem = voice_into(VoiceOptions(str(folder)), language)
    assert (voice.name.split()[0], problem) == ("piper", "")


def test_a_chosen_voice_that_does_not_speak_the_language_is_replaced_with_one_line(tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "joe", "en-us")
    voice, problem = voice_into(VoiceOptions(str(folder)), "pt")
    assert (voice.name, problem) == (
        "espeak pt 175",
        "The chosen voice is not known to speak Portuguese. eSpeak NG speaks instead.",
    )


def test_piper_alone_means_one_that_speaks_english() -> None:
    with pytest.raises(ModelError, match="earshot models get piper-kristin"):
        make_voice(VoiceOptions("piper"))
    downloaded("piper-thorsten", "de")
    assert make_voice(VoiceOptions("piper")).name == "piper de_DE-thorsten-medium 175"
    downloaded("piper-joe")
    assert make_voice(VoiceOptions("piper")).name == "piper en_US-joe-medium 175"


@pytest.mark.parametrize(
    ("voice", "reason"),
    [
        ("kokoro", "The model kokoro is not on this machine."),
        ("no such voice", "There is no model called 'no such voice'"),
        ("starter", "The model starter hears; here one is needed that speaks"),
    ],
)
def test_a_voice_that_is_missing_is_replaced_by_the_built_in_one_which_says_why(voice: str, reason: str) -> None:
    spoken, problem = usable_voice(VoiceOptions(voice, "nobody", 150))
    assert spoken.name == "espeak en-us 150"
    assert problem.startswith(reason) and problem.endswith(" eSpeak NG speaks instead.")
    assert "\n" not in problem


def test_a_voice_that_is_damaged_is_replaced_too(tmp_path: Path) -> None:
    folder = write_piper(tmp_path / "voice")
    (folder / "small.onnx").write_bytes(b"nothing like a network")
    spoken, problem = usable_voice(VoiceOptions(str(folder)))
    assert spoken.name.startswith("espeak ") and "is damaged, or no ONNX file" in problem


@pytest.mark.parametrize(
    ("damage", "reason"),
    [({"spoilt": True}, r"small\.onnx failed: "), ({"speakers": 2}, "makes no sound: it is damaged")],
)
def test_a_voice_that_loads_and_fails_or_is_silent_is_replaced_before_it_is_needed(
    tmp_path: Path, damage: dict[str, int], reason: str
) -> None:
    spoken, problem = usable_voice(VoiceOptions(str(write_piper(tmp_path, **damage))))
    assert spoken.name.startswith("espeak ")
    assert re.search(reason, problem) and "\n" not in problem


def test_the_usual_voice_comes_along_and_without_it_espeak_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    voice, problem = usable_voice(VoiceOptions())
    assert (voice.name, voice.language, problem) == ("hibari 175", "en", "")
    assert in_language(voice, "de").name == usable_voice(VoiceOptions(), "de")[0].name == "espeak de 175"
    monkeypatch.setattr("engine.models.catalogue.ASSETS", Path("nowhere"))
    voice, problem = usable_voice(VoiceOptions())
    assert voice.name == "espeak en-us 175"
    assert problem.startswith("The model starter-voice should be in ") and problem.endswith(
        " eSpeak NG speaks instead."
    )


def test_where_what_runs_voices_is_damaged_espeak_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    voice, problem = usable_voice(VoiceOptions())
    assert voice.name == "espeak en-us 175" and "onnxruntime" in problem


def test_espeak_is_replaced_by_nothing() -> None:
    assert usable_voice(VoiceOptions("espeak"))[1] == ""
    with pytest.raises(OptionError, match="one of espeak's voices"):
        usable_voice(VoiceOptions("espeak", "klingon"))


def test_speakers_are_known_without_loading_a_voice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "make_voice", None)
    assert speakers_of(str(write_piper(tmp_path / "one"))) == ()
    assert speakers_of(str(write_piper(tmp_path / "two", speakers=2))) == ("speaker0", "speaker1")
    assert speakers_of(str(write_hibari(tmp_path / "hibari"))) == ()
    assert speakers_of(str(write_kokoro(tmp_path / "kokoro"))) == ("af_heart", "bf_emma", "ff_siwis")
    assert "de" in speakers_of("espeak")
    assert speakers_of("kokoro") == speakers_of("system") == ()
