"""One editor for each setting that stands in several places: its name, range and words are the same in all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from PySide6.QtCore import QObject

from app.look.decimals import decimal
from app.preferences.changes import with_decoder, with_pause, with_voice
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.widgets.labels import plain
from app.widgets.rows import ChoiceRow, Needs, Row, Scale, SliderRow, SwitchRow, Write
from engine.options import MIN_STEP_SECONDS, MOST_TOKENS_AHEAD

MOST_BIAS = 0.5
"""From here on no word of a translation is changed before its caption is final."""


@dataclass(frozen=True, slots=True)
class Editor:
    """All there is to know of a setting to have a person choose it.

    Attributes:
        path: of the value in the preferences, such as "captions.step_seconds".
        name: with the letter that is its key.
        explanation: what it trades.
        scale: of a number; without it and without options the setting is on or off.
        words: a number as a person reads it.
        options: what can be chosen: what is stored, and what a person reads.
        write: how a value gets into the preferences, where it is more than putting it there.
        needs: with which preferences it has an effect; with all where it is None.
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
        """Make the row for a narrow panel; in the main window its menus have the keys."""
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
    """The editors of what is tuned, in the order in which the tuning panel has them."""

    def hearing(self) -> tuple[Editor, ...]:
        """Of when a word is certain, how often to listen anew, how to write what is heard."""
        return *self._certainty(), *self._rounds(), *self._several_tokens(), self._padding()

    def translation(self) -> tuple[Editor, ...]:
        """Of how captions are translated: how steadily, how soon, and from what."""
        return *self.steadiness(), *self._last_translation()

    def assistant(self) -> tuple[Editor, ...]:
        """Of what the assistant prepares, what of that it keeps, when a turn ends, voice and rate."""
        return *self._answers(), *self._speech()

    def row(self, settings: Settings, path: str) -> Row:
        """Make the row for a dialog of the setting at a path. KeyError where it is not among these."""
        editors = {each.path: each for each in (*self.hearing(), *self.translation(), *self.assistant())}
        return editors[path].row(settings)

    def _certainty(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.policy",
                self.tr("A &word is certain"),
                self.tr("The first is sooner, the second a little more often right."),
                options=(
                    ("alignatt", self.tr("as soon as the model is sure")),
                    ("local-agreement", self.tr("once several guesses agree")),
                ),
            ),
            Editor(
                "captions.attention_margin_seconds",
                self.tr("Keep away from the newest sound"),
                self.tr("More gets fewer words wrong, and each tenth of a second brings them almost as much later."),
                Scale(0.0, 1.0, 0.05),
                self._seconds,
                needs=lambda now: now.captions.policy == "alignatt",
            ),
            Editor(
                "captions.agreement",
                self.tr("Guesses that must agree"),
                self.tr("More are safer and later."),
                Scale(2, 5, 1),
                needs=lambda now: now.captions.policy == "local-agreement",
            ),
        )

    def _rounds(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.step_seconds",
                self.tr("&Listen again every"),
                self.tr("Shorter steps bring words sooner and keep the machine busier."),
                Scale(MIN_STEP_SECONDS, 2.0, 0.05),
                self._seconds,
            ),
            Editor(
                "captions.decode.reuse",
                self.tr("The last guess"),
                self.tr("Verifying reads it in one go and keeps what still holds, which saves most of the work."),
                options=(
                    ("verify", self.tr("is verified")),
                    ("prune", self.tr("guides the search")),
                    ("none", self.tr("is forgotten")),
                ),
            ),
            Editor(
                "captions.decode.verify_margin",
                self.tr("Steadiness"),
                self.tr("To the right, words stay unless others are much likelier: steadier, but mistakes stay too."),
                Scale(0.0, 2.0, 0.1),
                self._steadiness_of_words,
                needs=lambda now: now.captions.decode.reuse == "verify",
            ),
        )

    def _several_tokens(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.decode.decoder",
                self.tr("&Decoder"),
                self.tr("Several words at once needs a model that was taught to, such as Speech-LLaMA."),
                options=(("beam", self.tr("Word by word")), ("multitoken", self.tr("Several words at once"))),
                write=with_decoder,
            ),
            Editor(
                "captions.decode.beam_size",
                self.tr("Candidates &at a time"),
                self.tr("More find better words and take longer; three are usual."),
                Scale(1, 16, 1),
                needs=lambda now: not _writes_several(now),
            ),
            Editor(
                "captions.decode.tokens_ahead",
                self.tr("Tokens at once"),
                self.tr("As far as the model has heads. Farther ones miss more."),
                Scale(2, MOST_TOKENS_AHEAD, 1),
                needs=_writes_several,
            ),
            *self._acceptance(),
        )

    def _acceptance(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "captions.decode.acceptance",
                self.tr("Keep a token"),
                self.tr("Verified tokens are exact; believing the heads saves a step."),
                options=(
                    (None, self.tr("as suits the heads")),
                    ("top-m", self.tr("among the likeliest")),
                    ("threshold", self.tr("its head is sure of")),
                    ("both", self.tr("in either case")),
                ),
                needs=_writes_several,
            ),
            Editor(
                "captions.decode.top_m",
                self.tr("Among the likeliest"),
                self.tr("1 writes what plain decoding does; more keep more."),
                Scale(1, 10, 1),
                needs=lambda now: _keeps_by(now, "top-m"),
            ),
            Editor(
                "captions.decode.threshold",
                self.tr("How sure"),
                self.tr("Less keeps more tokens, and more mistakes."),
                Scale(0.5, 1.0, 0.05),
                "{:.0%}".format,
                needs=lambda now: _keeps_by(now, "threshold"),
            ),
        )

    def _padding(self) -> Editor:
        return Editor(
            "captions.padding",
            self.tr("After the s&ound"),
            self.tr("What the model is given after the newest sound, so that it knows the end."),
            options=(
                (None, self.tr("As the model needs it")),
                ("hush", self.tr("A learned hush: fast and right")),
                ("full", self.tr("Silence up to 30 seconds: slow")),
                ("silence_cache", self.tr("Silence computed beforehand")),
                ("zeros:1", self.tr("A second of silence")),
                ("zeros:0.5", self.tr("Half a second of silence")),
                ("noise:0.5", self.tr("Half a second of noise")),
                ("none", self.tr("Nothing: fast, often wrong")),
            ),
        )

    def steadiness(self) -> tuple[Editor, ...]:
        """Of how steadily captions are translated."""
        return (
            Editor(
                "translation.bias",
                self.tr("&Steadiness"),
                self.tr("To the right, words that are shown are kept, and mistakes are put right at the end."),
                Scale(0.0, MOST_BIAS, 0.05),
                self._words_for_bias,
                needs=_translates,
            ),
            Editor(
                "translation.mask",
                self.tr("&Hold back"),
                self.tr("The newest words are the least certain. Held back, they change less and come later."),
                Scale(0, 8, 1),
                self._words_for_mask,
                needs=_translates,
            ),
            Editor(
                "translation.stable",
                self.tr("&Never change what is shown"),
                self.tr("Words are only ever added. They come later, and what is said later cannot correct them."),
                needs=_translates,
            ),
        )

    def _last_translation(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "translation.decay",
                self.tr("Let go of old words"),
                self.tr("A word that steadiness alone has kept for long may change again. Better words, more flicker."),
            ),
            Editor(
                "translation.draft",
                self.tr("Start from the last translation"),
                self.tr("Off translates every time from nothing: slower, and nothing keeps words steady."),
            ),
        )

    def _answers(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "assistant.answer.speculate",
                self.tr("Begin to answer while I sp&eak"),
                self.tr("Answers are heard sooner; the machine is busier while you speak."),
            ),
            Editor(
                "assistant.answer.verifier",
                self.tr("&Keep of the draft"),
                self.tr("What stays of an answer that was begun, when you have said more. The first changes none."),
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
                self.tr("To the right, more of it is kept."),
                Scale(0.0, 0.5, 0.05),
                lambda value: decimal(value, 2),
                needs=lambda now: _verifies_by(now, "biased"),
            ),
        )

    def _speech(self) -> tuple[Editor, ...]:
        return (
            Editor(
                "assistant.turns.silence_seconds",
                self.tr("A pause en&ds my turn after"),
                self.tr("Sooner where you have clearly finished, later where you clearly have not."),
                Scale(0.2, 3.0, 0.05),
                self._seconds,
                write=with_pause,
                needs=lambda now: not now.assistant.turns.push_to_talk,
            ),
            Editor(
                "assistant.voice.voice",
                self.tr("&Voice"),
                self.tr("Kokoro sounds most like a person, and has to be installed."),
                options=self._voices(),
                write=with_voice,
                needs=lambda now: now.behaviour.speaks,
            ),
            Editor(
                "assistant.voice.words_per_minute",
                self.tr("&Rate"),
                "",
                Scale(80, 450, 5),
                lambda words: self.tr("{:.0f} words a minute").format(words),
                needs=lambda now: now.behaviour.speaks,
            ),
        )

    def _voices(self) -> tuple[tuple[str, str], ...]:
        """Find what this machine can speak with, as far as that is known without trying."""
        here = [("espeak", self.tr("Built in"))]
        if sys.platform == "darwin":
            here.append(("system", self.tr("The Mac's")))
        if find_spec("mlx_audio") is not None:
            here.append(("kokoro", self.tr("Kokoro")))
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
            return self.tr("always the likeliest words")
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


def _keeps_by(now: Preferences, rule: str) -> bool:
    return _writes_several(now) and now.captions.decode.acceptance in (rule, "both")


def _translates(now: Preferences) -> bool:
    return now.translates


def _verifies_by(now: Preferences, verifier: str) -> bool:
    answer = now.assistant.answer
    return answer.speculate and answer.verifier == verifier
