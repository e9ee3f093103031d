"""Editors of settings: one for each, so that its name, range and words are the same wherever it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject

from app.look.decimals import decimal
from app.preferences.changes import with_decoder, with_pause, with_voice
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.labels import plain
from app.widgets.rows import ChoiceRow, Needs, Row, Scale, SliderRow, SwitchRow, Write
from engine.options import MIN_STEP_SECONDS, STARTER_VOICE

MOST_BIAS = 0.5
"""Highest useful bias: no word of a translation changes before its caption is final."""


@dataclass(frozen=True, slots=True)
class Editor:
    """The description of a setting, from which its row is made.

    Attributes:
        path: path of the value in the preferences, such as "captions.step_seconds".
        name: name with its mnemonic.
        explanation: the trade-off in a sentence.
        scale: scale of a number; without it and without options the setting is a switch.
        words: formats a number for a person.
        options: the choices: the stored value and its text.
        write: writes a value into the preferences, if other values change with it.
        needs: tells for which preferences the setting has an effect; None is all.
    """

    path: str
    name: str
    explanation: str = ""
    scale: Scale | None = None
    words: Callable[[float], str] = "{:.0f}".format
    options: Sequence[tuple[Any, str]] = ()
    write: Write | None = None
    needs: Needs | None = None

    def row(self, settings: Settings) -> Row:
        """Make the row for a dialog."""
        return self._made(settings, self.name, stacked=False)

    def stacked(self, settings: Settings, *, mnemonic: bool = False) -> Row:
        """Make the row for a narrow panel; without `mnemonic` the name has no key, which menus use."""
        return self._made(settings, self.name if mnemonic else plain(self.name), stacked=True)

    def _made(self, settings: Settings, name: str, *, stacked: bool) -> Row:
        row: Row
        if self.scale is not None:
            row = SliderRow(settings, self.path, name, self.explanation, self.scale, self.words, stacked=stacked)
        elif self.options:
            row = ChoiceRow(settings, self.path, name, self.explanation, self.options, stacked=stacked)
        else:
            row = SwitchRow(settings, self.path, name, self.explanation, stacked=stacked)
        row.write = self.write or row.write
        row.needs = self.needs or row.needs
        return row


class Editors(QObject):
    """The editors of all settings that stand in several places or are tuned."""

    def hearing(self) -> tuple[Editor, ...]:
        """Return the editors for hearing: commitment, update rate, decoding, padding."""
        return *self._certainty(), *self._rounds(), *self._decoding(), self._padding()

    def translation(self) -> tuple[Editor, ...]:
        """Return the editors for translation: bias, display and mask."""
        return self.steadiness()[:3]

    def assistant(self) -> tuple[Editor, ...]:
        """Return the editors for drafted answers: the verifier, and its top-k or bias."""
        return self._verification()

    def row(self, settings: Settings, path: str) -> Row:
        """Make the row for a dialog of the setting at a path. KeyError if there is no editor for it."""
        editors = (*self.hearing(), *self.steadiness(), *self.assistant(), *self._conversation())
        return {each.path: each for each in editors}[path].row(settings)

    def _certainty(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.policy",
                self.tr("Confirm &words"),
                self.tr("The first is faster, the second makes slightly fewer mistakes."),
                options=(
                    ("alignatt", self.tr("as soon as the model is sure")),
                    ("local-agreement", self.tr("once several guesses agree")),
                ),
            ),
            Editor(
                "captions.attention_margin_seconds",
                self.tr("Distance from the newest sound"),
                self.tr("Less shows words sooner, with more mistakes; more than usual only shows them later."),
                Scale(0.0, 1.0, 0.05),
                self._seconds,
                needs=lambda now: now.captions.policy == "alignatt",
            ),
        )

    def _rounds(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.step_seconds",
                self.tr("&Update captions at most every"),
                self.tr(
                    "Less shows words sooner and keeps the computer busier. A slow computer takes longer by itself."
                ),
                Scale(MIN_STEP_SECONDS, 2.0, 0.05),
                self._seconds,
            ),
            Editor(
                "captions.decode.reuse",
                self.tr("Keep the last guess"),
                self.tr("Checking it in one go and keeping what is still right saves most of the work."),
                options=(
                    ("verify", self.tr("after checking it")),
                    ("prune", self.tr("as a guide for the search")),
                    ("none", self.tr("never")),
                ),
            ),
            Editor(
                "captions.decode.verify_margin",
                self.tr("Steadiness"),
                self.tr(
                    "Further right, words stay unless others are much more likely: steadier, but mistakes stay too."
                ),
                Scale(0.0, 2.0, 0.1),
                self._steadiness_of_words,
                needs=lambda now: now.captions.decode.reuse == "verify",
            ),
        )

    def _decoding(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.decode.decoder",
                self.tr("&Decoder"),
                self.tr("Several words at once needs a model trained for it, such as Speech-LLaMA."),
                options=(("beam", self.tr("Word by word")), ("multitoken", self.tr("Several words at once"))),
                write=with_decoder,
            ),
            Editor(
                "captions.decode.beam_size",
                self.tr("Candidates &at a time"),
                self.tr("More finds better words but takes longer; the default is one."),
                Scale(1, 16, 1),
                needs=lambda now: not _writes_several(now),
            ),
        )

    def _padding(self) -> Editor:
        return Editor(
            "captions.padding",
            self.tr("Padding after the s&ound"),
            self.tr("What the model hears after the newest sound, so that it knows where speech ends."),
            options=(
                (None, self.tr("Automatic")),
                ("hush", self.tr("Learned silence: fast and accurate")),
                ("full", self.tr("Silence up to 30 seconds: slow")),
                ("silence_cache", self.tr("Precomputed silence")),
                ("zeros:1", self.tr("A second of silence")),
                ("zeros:0.5", self.tr("Half a second of silence")),
                ("noise:0.5", self.tr("Half a second of noise")),
                ("none", self.tr("Nothing: fast, often wrong")),
            ),
        )

    def steadiness(self) -> tuple[Editor, ...]:
        """Return the editors for steady translations: bias, display, mask, and whether shown words stay."""
        return (
            Editor(
                "translation.bias",
                self.tr("&Steadiness"),
                self.tr("Further right, words that are shown are kept, even if others are a little likelier later."),
                Scale(0.0, MOST_BIAS, 0.05),
                self._words_for_bias,
                needs=_translates,
            ),
            Editor(
                "translation.display",
                self.tr("Sho&w"),
                self.tr("Words that are likely to stay appear at once. The second choice holds back a fixed number."),
                options=(
                    ("live", self.tr("words that are likely to stay")),
                    ("mask-k", self.tr("all but the newest words (mask-k)")),
                ),
                needs=_translates,
            ),
            Editor(
                "translation.mask",
                self.tr("&Hold back"),
                self.tr("The newest words are the least certain. Held back, they change less and come later."),
                Scale(0, 8, 1),
                self._words_for_mask,
                needs=lambda now: now.translates and now.translation.display == "mask-k",
            ),
            Editor(
                "translation.stable",
                self.tr("&Never change what is shown"),
                self.tr("Words are only ever added. They come later, and what is said later cannot correct them."),
                needs=lambda now: now.translates and not now.interpreting.speaks,  # then nothing changes in any case
            ),
        )

    def _verification(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "assistant.answer.verifier",
                self.tr("Re&use prepared answer"),
                self.tr(
                    "What is kept of an answer that was prepared before you finished. "
                    "The first choice changes no answer."
                ),
                options=(
                    ("greedy", self.tr("what it would say anyway")),
                    ("top-k", self.tr("what is among the likeliest")),
                    ("biased", self.tr("what is nearly as likely")),
                    ("reflection", self.tr("sentences it finds fitting")),
                ),
                needs=lambda now: now.assistant.answer.speculate,
            ),
            Editor(
                "assistant.answer.top_k",
                self.tr("Among the &likeliest"),
                self.tr("How many words count as likely enough."),
                Scale(1, 20, 1),
                needs=lambda now: _verifies_by(now, "top-k"),
            ),
            Editor(
                "assistant.answer.bias",
                self.tr("Steadiness"),
                self.tr("Further right, more of it is kept."),
                Scale(0.0, 0.5, 0.05),
                lambda value: decimal(value, 2),
                needs=lambda now: _verifies_by(now, "biased"),
            ),
        )

    def _conversation(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "assistant.answer.speculate",
                self.tr("Start answering while I sp&eak"),
                self.tr("You hear answers sooner; the computer is busier while you speak."),
            ),
            Editor(
                "assistant.answer.less_on_battery",
                self.tr("Prepare less on &battery"),
                self.tr("Answers are then only prepared when you seem to have finished."),
                needs=lambda now: now.assistant.answer.speculate,
            ),
            Editor(
                "assistant.turns.silence_seconds",
                self.tr("A pause en&ds my turn after"),
                self.tr("Sooner if you have clearly finished, later if you clearly have not."),
                Scale(0.2, 3.0, 0.05),
                self._seconds,
                write=with_pause,
                needs=lambda now: not now.assistant.turns.push_to_talk,
            ),
            Editor(
                "assistant.voice.voice",
                self.tr("&Voice"),
                self.tr("Get more on the Models page."),
                options=self.voices(),
                write=with_voice,
                needs=lambda now: now.behaviour.speaks,
            ),
            Editor(
                "assistant.voice.words_per_minute",
                self.tr("Speaking &rate"),
                "",
                Scale(80, 450, 5),
                lambda words: self.tr("{:.0f} words a minute").format(words),
                needs=lambda now: now.behaviour.speaks,
            ),
        )

    def voices(self) -> tuple[tuple[str, str], ...]:
        """Return the voices that need no download."""
        here = [(STARTER_VOICE, self.tr("Natural, English")), ("espeak", self.tr("eSpeak, all languages"))]
        if sys.platform == "darwin":
            here.append(("system", self.tr("Mac voice")))
        return tuple(here)

    def _seconds(self, value: float) -> str:
        return self.tr("{} s").format(decimal(value, 2))

    def _steadiness_of_words(self, margin: float) -> str:
        if margin <= 0:
            return self.tr("as heard")
        if margin < 0.5:
            return self.tr("a little steadier")
        return self.tr("steady") if margin < 1.2 else self.tr("very steady")

    def _words_for_bias(self, bias: float) -> str:
        if bias <= 0:
            return self.tr("always the most likely words")
        if bias >= MOST_BIAS:
            return self.tr("changes no word until the end")
        if bias < 0.15:
            return self.tr("a little steadier")
        return self.tr("steady") if bias < 0.3 else self.tr("very steady")

    def _words_for_mask(self, mask: float) -> str:
        if mask < 1:
            return self.tr("nothing")
        return self.tr("the newest word") if mask == 1 else self.tr("the {:.0f} newest words").format(mask)


def _writes_several(now: Preferences) -> bool:
    return now.captions.decode.decoder == "multitoken"


def _translates(now: Preferences) -> bool:
    return now.translates


def _verifies_by(now: Preferences, verifier: str) -> bool:
    answer = now.assistant.answer
    return answer.speculate and answer.verifier == verifier
