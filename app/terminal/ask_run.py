"""One conversation with the assistant on the command line: from text, a recording or a microphone."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from app.look.text_layout import one_line
from app.preferences.program import data_folder
from app.sound.audio_sources import AudioFile
from app.sound.loudspeaker import Loudspeaker
from app.sound.output_devices import check_output
from app.sound.playback import Player
from app.sound.replies import barge_in_of
from app.terminal.caption_run import load_recognizer
from app.terminal.conversation import Conversation
from app.terminal.conversation_printer import USER, Manner, choose_printer
from app.terminal.enter_key import EnterKey
from app.terminal.growing_text import TextError, text_lines
from app.terminal.interruption import Interruption
from app.terminal.open_source import OpenSource, device_of, find_microphone
from app.terminal.screen import greet, is_screen, write_notes
from app.terminal.speech_file import SpeechFile
from app.terminal.terminal_tools import TerminalTools, with_tools
from engine.assistant.turn_taking import has_words
from engine.errors import AudioError
from engine.events import Incident
from engine.options import AssistantOptions, CaptionOptions, TranslationOptions
from engine.translate.for_files import for_files
from engine.turns import TurnEvent

if TYPE_CHECKING:
    from app.terminal.said import Said
    from engine.assistant.assistant import AssistantSession
    from engine.audio.feed import Pace
    from engine.clock import Clock
    from engine.speak.voice import Voice
    from engine.translate.translator import Translator

_GREETING = "Type a question; Ctrl-D ends."
_PUSH_TO_TALK = "Press Enter to speak, and Enter again when you have finished; Ctrl-C ends."


@dataclass(frozen=True, slots=True)
class Choice:
    """Options of a conversation on the command line.

    Attributes:
        model, assistant_model: name or folder of the recognition model and of the language model.
        aloud: replies are played, on the device `output` or the system's default.
        speech: file for the spoken replies, if any.
        silent: no voice is loaded.
        said: a transcript to answer from; None takes the history.
    """

    options: AssistantOptions
    captions: CaptionOptions
    model: str
    assistant_model: str
    aloud: bool = False
    output: str | None = None
    speech: Path | None = None
    silent: bool = False
    as_json: bool = False
    said: Said | None = None


def ask_once(question: str, choice: Choice) -> None:
    """Answer one written question."""
    _ask_in_writing([question], choice, Manner(questions=False, names=False), stays=False)


def ask_typed(choice: Choice) -> None:
    """Answer each line of standard input, to its end or to Ctrl-C.

    Raises:
        EngineError: the model or the text failed; the questions before that have been answered.
    """
    if sys.stdin is None:
        raise TextError("There is no standard input to take questions from.")
    typed = sys.stdin.isatty()
    lines = text_lines(sys.stdin.buffer, "standard input", may_be_empty=typed)
    if typed and not choice.as_json and is_screen(sys.stdout):
        lines = _prompted(lines)
    _ask_in_writing(lines, choice, Manner(questions=not typed), _GREETING if typed else "", stays=typed)


def _prompted(lines: Iterator[str]) -> Iterator[str]:
    """Yield typed lines, with a prompt before each."""
    while True:
        sys.stdout.write(USER)
        sys.stdout.flush()
        if (line := next(lines, None)) is None:
            return
        yield line


def _ask_in_writing(
    questions: Iterable[str], choice: Choice, manner: Manner, greeting: str = "", *, stays: bool
) -> None:
    """Answer questions; `stays`: a person ends the conversation, so that a timer would be heard."""
    from engine.clock import RealClock

    clock = RealClock()
    voiced = choice.aloud or choice.speech is not None
    with (
        closing(load_session(choice, clock, hears=False, voiced=voiced)) as session,
        _loudspeaker(choice) as loudspeaker,
        _tools(choice, stays=stays) as tools,
    ):
        clock.audio_arrived(0.0)
        greet(greeting)
        conversation = _conversation(clock, choice, manner, loudspeaker)

        def events(interruption: Interruption) -> Iterator[TurnEvent | Incident]:
            for question in interruption.until_asked(questions):
                yield from with_tools(session, tools, _answered(session, question, loudspeaker))
                conversation.settle()

        conversation.run(events)


def _answered(
    session: AssistantSession, question: str, loudspeaker: Loudspeaker | None
) -> Iterator[TurnEvent | Incident]:
    """Yield all events of the answer to one question, and play it; Ctrl-C stops only this answer."""
    with Interruption() as interruption:
        stopped = False
        if question.strip() and not has_words(question):
            yield Incident(f"“{one_line(question)}” holds no word, so there is nothing to answer.")
        session.ask(one_line(question))
        while session.busy:
            if interruption.asked and not stopped:
                stopped = True
                session.stop()
            if (event := session.work()) is not None:
                yield event
        if loudspeaker is not None:
            yield from loudspeaker.drain(lambda: interruption.asked)


def ask_recording(path: Path, choice: Choice, *, realtime: bool) -> None:
    """Answer the questions in a recording: in real time, or with the times of a real-time conversation.

    Raises:
        EngineError: the recording or a model failed; the answers until then have been printed. A partly damaged
            recording raises too, after its readable part has been answered.
    """
    from engine.audio.feed import feed
    from engine.clock import RealClock, SimulatedClock

    source = OpenSource(AudioFile(path, at_once=not choice.aloud))
    if choice.aloud:
        _converse(source, choice)
    else:
        clock = RealClock() if realtime else SimulatedClock()
        with closing(load_session(choice, clock)) as session, _tools(choice, stays=False) as tools:
            conversation = _conversation(clock, choice, Manner())
            pace: Pace = "realtime" if realtime else "fast"
            conversation.run(
                lambda stop: with_tools(session, tools, feed(stop.until_asked(source.chunks()), session, pace=pace)),
                source.stop,
            )
    if source.damage:
        raise AudioError(" ".join((*source.damage, "What can be heard of it was answered.")))


def ask_microphone(device: str | None, choice: Choice) -> None:
    """Answer questions at a microphone, by name or number or the default one, until Ctrl-C.

    Raises:
        EngineError: the microphone or a model failed; the answers until then have been printed.
    """
    source = OpenSource(find_microphone(device, otherwise="ask in writing"))
    if not choice.options.turns.push_to_talk:
        _converse(source, choice, f"Listening to {source.source.name}. Ctrl-C ends.")
        return
    with EnterKey() as key:
        _converse(source, choice, _PUSH_TO_TALK, key.presses)


def _converse(
    source: OpenSource, choice: Choice, greeting: str = "", key_presses: Callable[[], int] = lambda: 0
) -> None:
    """Hold a conversation with live audio, and play the answers."""
    from app.terminal.live_conversation import LiveConversation
    from engine.clock import RealClock

    turns = choice.options.turns
    clock = RealClock()
    with (
        closing(load_session(choice, clock, player=True)) as session,
        _loudspeaker(choice) as loudspeaker,
        _tools(choice, stays=True) as tools,
    ):
        live = LiveConversation(
            session, source.chunks(), loudspeaker or Loudspeaker(None), barge_in_of(turns),
            key_presses=key_presses, news=source.news,
        )  # fmt: skip
        conversation = _conversation(clock, choice, Manner(), loudspeaker)
        live.on_settled = conversation.settle
        greet(greeting)
        conversation.run(lambda stop: with_tools(session, tools, live.events(stop)), source.stop)


@contextmanager
def _loudspeaker(choice: Choice) -> Iterator[Loudspeaker | None]:
    """Yield a loudspeaker if answers are played; its device is opened with the first sound."""
    if not choice.aloud:
        yield None
        return
    loudspeaker = Loudspeaker(Player(device_of(choice.output)))
    try:
        yield loudspeaker
    finally:
        loudspeaker.close()


def load_session(
    choice: Choice, clock: Clock, *, hears: bool = True, voiced: bool = True, player: bool = False
) -> AssistantSession:
    """Load and warm up the models of a conversation; print warnings about slow hardware on standard error."""
    from engine.answer.fixed import is_fixed
    from engine.answer.safety.region import region_of
    from engine.assistant.assistant import AssistantSession
    from engine.process.loading import SERVER, load_assistant
    from engine.speak.kept_speech import KeptSpeech

    if choice.aloud and (output := device_of(choice.output)) is not None:
        check_output(output)
    voice = load_voice(choice) if voiced and not choice.silent else None
    recognizer = load_recognizer(choice.model)(choice.captions) if hears else None
    ready, model = load_assistant(choice.assistant_model)
    if ready.device == SERVER:
        write_notes(sys.stderr, ready.warnings, dim=True)
    session = AssistantSession(
        recognizer, model, voice, choice.options, choice.captions, clock,
        player=player, region=region_of(os.environ), translate=translator_into, app=True,
        kept_speech=KeptSpeech(is_fixed),
    )  # fmt: skip
    session.warm_up()
    return session


@cache
def translator_into(language: str) -> Translator:
    """Return a translator into a language, with the starter model, or another one that knows it.

    Raises:
        EngineError: the model does not know that language.
    """
    from engine.translate.loading import load_translation_model
    from engine.translate.targets import STARTER, model_for
    from engine.translate.translator import Translator

    model = load_translation_model(model_for(STARTER, language))
    return Translator(model, for_files(TranslationOptions(target=language)))


@contextmanager
def _tools(choice: Choice, *, stays: bool) -> Iterator[TerminalTools]:
    """Yield the tools of the command line; timers only if the conversation `stays` open until they ring."""
    from app.history.kept.schema import FILE_NAME

    history = data_folder() / "history" / FILE_NAME
    with closing(TerminalTools(history, _ring if stays else None, choice.said)) as tools:
        yield tools


def _ring(sentence: str) -> None:
    """Print on standard error that a timer has ended."""
    sys.stderr.write(f"\a\n{sentence}\n")
    sys.stderr.flush()


def load_voice(choice: Choice) -> Voice:
    """Return the configured voice, or the built-in one with a line on standard error that says why."""
    from engine.speak.choice import usable_voice

    voice, problem = usable_voice(choice.options.voice)
    if problem:
        sys.stderr.write(f"{problem}\n")
    return voice


def _conversation(clock: Clock, choice: Choice, manner: Manner, loudspeaker: Loudspeaker | None = None) -> Conversation:
    printer = choose_printer(sys.stdout, sys.stderr, manner, as_json=choice.as_json)
    file = SpeechFile(choice.speech) if choice.speech is not None else None
    return Conversation(clock, printer, file, [loudspeaker] if loudspeaker is not None else [])
