"""The voices of macOS, with a program in the place of `say` that takes what it takes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from engine.errors import OptionError, VoiceError
from engine.options import VoiceOptions
from engine.speak import system
from engine.speak.choice import make_voice
from engine.speak.system import SystemVoice

SAY = """#!{python}
import sys
arguments, text = sys.argv[1:], sys.stdin.buffer.read().decode()
if arguments == ["-v", "?"]:
    print("Alex                en_US    # Most people recognize me by my voice.")
    print("Eddy (German (Germany)) de_DE    # Hallo! Ich heisse Eddy.")
    print("Bad News            en_US    # Hello!")
    sys.exit()
with open({log!r}, "a") as log:
    print(arguments[:-3], text, file=log)
if "fail" in text:
    sys.exit("no such voice today")
if "nothing" in text:
    sys.exit()
import numpy, soundfile
rate = 8000 if "slow" in text else 22050
file = arguments[arguments.index("-o") + 1]
soundfile.write(file, numpy.full(10 * (rate // 20), 0.25), rate, subtype="PCM_16")
"""


@pytest.fixture
def say(tmp_path: Path) -> str:
    program = tmp_path / "say"
    program.write_text(SAY.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(0o755)
    return str(program)


def asked(say: str) -> str:
    log = Path(say).with_name("log")
    return log.read_text() if log.exists() else ""


def test_a_sentence_is_written_and_read_in_chunks(say: str) -> None:
    chunks = list(SystemVoice("Alex", 200, say).speak("Hello there."))
    assert len(chunks) == 10
    np.testing.assert_allclose(np.concatenate(chunks), 0.25, atol=1e-4)
    assert asked(say) == "['-v', 'Alex', '-r', '200'] Hello there.\n"


def test_nothing_runs_before_the_first_chunk_or_for_no_words(say: str) -> None:
    voice = SystemVoice(None, 175, say)
    voice.speak("Hello.")
    assert list(voice.speak("...")) == []
    assert asked(say) == ""


def test_text_is_no_option_and_no_command(say: str) -> None:
    list(SystemVoice(None, 175, say).speak("-o /etc/passwd [[rate 900]] $(date)"))
    assert asked(say) == "['-r', '175'] -o /etc/passwd [ [rate 900] ] $(date)\n"


def test_voices_with_spaces_are_known(say: str) -> None:
    assert SystemVoice("Bad News", 175, say).name != SystemVoice("Eddy (German (Germany))", 175, say).name


def test_an_unknown_speaker_is_answered_with_those_there_are(say: str) -> None:
    with pytest.raises(OptionError, match=r"not 'Nobody': Alex, Eddy .*, Bad News"):
        SystemVoice("Nobody", 175, say)


@pytest.mark.parametrize(
    ("text", "message"), [("fail", "no such voice today"), ("nothing", "wrote no speech"), ("slow", "at 8000 Hz")]
)
def test_a_failure_is_a_sentence(say: str, text: str, message: str) -> None:
    with pytest.raises(VoiceError, match=message):
        next(SystemVoice(None, 175, say).speak(text))


def test_a_command_that_gets_stuck_is_a_sentence(say: str, monkeypatch: pytest.MonkeyPatch) -> None:
    voice = SystemVoice(None, 175, say)
    monkeypatch.setattr(system, "MOST_SECONDS", 0.01)
    with pytest.raises(VoiceError, match="has not spoken for"):
        next(voice.speak("Hello."))


def test_without_say_the_voices_there_are_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "COMMAND", "no-such-command")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(OptionError, match="voice must be another one here"):
        make_voice(VoiceOptions(voice="system"))
