"""How captions are made: when a word is certain, how often to listen anew, how to write what is heard."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.look.decimals import decimal
from app.preferences.changes import usual_hearing
from app.preferences.preferences import Preferences
from app.preferences.settings import Settings
from app.tuning.board import HEARING, FigureBoard
from app.tuning.section import Section
from app.widgets.control import ChoiceControl, Scale, SliderControl
from engine.options import MIN_STEP_SECONDS, MOST_TOKENS_AHEAD

STEP = Scale(MIN_STEP_SECONDS, 2.0, 0.05)
MARGIN = Scale(0.0, 1.0, 0.05)
AGREEMENT = Scale(2, 5, 1)
BEAM = Scale(1, 8, 1)
KEPT = Scale(0.0, 2.0, 0.1)
AHEAD = Scale(2, MOST_TOKENS_AHEAD, 1)
TOP_M = Scale(1, 10, 1)
THRESHOLD = Scale(0.5, 1.0, 0.05)


class HearingSection(Section):
    """The settings of hearing."""

    def __init__(self, settings: Settings, board: FigureBoard, parent: QWidget | None = None) -> None:
        super().__init__(settings, board, HEARING, usual_hearing, parent)
        self._add_certainty()
        self._add_step()
        self._add_reuse()
        self._add_decoder()
        self._add_several()
        self._add_padding()
        self.finish()

    def _add_certainty(self) -> None:
        self.policy = ChoiceControl(
            self.tr("Write a word down"),
            (
                (self.tr("as soon as it is sure"), "alignatt"),
                (self.tr("once several guesses agree"), "local-agreement"),
            ),
            self.tr("Sure words come sooner. Agreement waits for one more round at least."),
        )
        self.margin = SliderControl(
            self.tr("Keep away from the newest sound"),
            MARGIN,
            self._seconds,
            self.tr("More gets fewer words wrong, and each tenth of a second brings them almost as much later."),
        )
        self.agreement = SliderControl(
            self.tr("Guesses that must agree"),
            AGREEMENT,
            _count,
            self.tr("More are safer and later."),
        )
        self.bind(self.policy, "captions.policy")
        self.bind(self.margin, "captions.attention_margin_seconds", lambda p: p.captions.policy == "alignatt")
        self.bind(self.agreement, "captions.agreement", lambda p: p.captions.policy == "local-agreement")

    def _add_step(self) -> None:
        self.step = SliderControl(
            self.tr("New sound between rounds"),
            STEP,
            self._seconds,
            self.tr("Shorter brings words sooner, for more computing."),
        )
        self.bind(self.step, "captions.step_seconds")

    def _add_reuse(self) -> None:
        self.reuse = ChoiceControl(
            self.tr("The last guess"),
            (
                (self.tr("is verified"), "verify"),
                (self.tr("guides the search"), "prune"),
                (self.tr("is forgotten"), "none"),
            ),
            self.tr("Verifying reads it in one go and keeps what still holds, which saves most of the work."),
        )
        self.kept = SliderControl(
            self.tr("Keep what is shown"),
            KEPT,
            self._words_for_margin,
            self.tr("To the right, words stay unless others are much likelier: steadier, but mistakes stay too."),
        )
        self.bind(self.reuse, "captions.decode.reuse")
        self.bind(self.kept, "captions.decode.verify_margin", lambda p: p.captions.decode.reuse == "verify")

    def _add_decoder(self) -> None:
        self.decoder = ChoiceControl(
            self.tr("Write by"),
            ((self.tr("one token at a time"), "beam"), (self.tr("several tokens at once"), "multitoken")),
            self.tr("Several at once takes fewer steps. The model needs extra heads for it."),
        )
        self.beam = SliderControl(
            self.tr("Candidates side by side"),
            BEAM,
            _count,
            self.tr("More get more words right, for more computing. 1 is fastest."),
        )
        self.bind(self.decoder, "captions.decode.decoder")
        self.bind(self.beam, "captions.decode.beam_size", lambda p: not _writes_several(p))

    def _add_several(self) -> None:
        self.ahead = SliderControl(
            self.tr("Tokens at once"), AHEAD, _count, self.tr("As far as the model has heads. Farther ones miss more.")
        )
        self.acceptance = ChoiceControl(
            self.tr("Keep a token"),
            (
                (self.tr("as suits the heads"), None),
                (self.tr("among the likeliest"), "top-m"),
                (self.tr("its head is sure of"), "threshold"),
                (self.tr("in either case"), "both"),
            ),
            self.tr("Verified tokens are exact; believing the heads saves a step."),
        )
        self.top_m = SliderControl(
            self.tr("Among the likeliest"),
            TOP_M,
            _count,
            self.tr("1 writes what plain decoding does; more keep more."),
        )
        self.threshold = SliderControl(
            self.tr("How sure"), THRESHOLD, _percent, self.tr("Less keeps more tokens, and more mistakes.")
        )
        self.bind(self.ahead, "captions.decode.tokens_ahead", _writes_several)
        self.bind(self.acceptance, "captions.decode.acceptance", _writes_several)
        self.bind(self.top_m, "captions.decode.top_m", lambda p: _keeps_by(p, "top-m"))
        self.bind(self.threshold, "captions.decode.threshold", lambda p: _keeps_by(p, "threshold"))

    def _add_padding(self) -> None:
        self.padding = ChoiceControl(
            self.tr("After the sound"),
            (
                (self.tr("what suits the model"), None),
                (self.tr("a hush word"), "hush"),
                (self.tr("silence that is kept"), "silence_cache"),
                (self.tr("half a second of silence"), "zeros:0.5"),
                (self.tr("half a second of noise"), "noise:0.5"),
                (self.tr("silence up to 30 s"), "full"),
                (self.tr("nothing"), "none"),
            ),
            self.tr("Models learnt to stop at a silence. Filling 30 s costs ten times the computing of short endings."),
        )
        self.bind(self.padding, "captions.padding")

    def _seconds(self, value: float) -> str:
        return self.tr("{} s").format(decimal(value, 2))

    def _words_for_margin(self, value: float) -> str:
        if value <= 0:
            return self.tr("as heard")
        if value < 0.5:
            return self.tr("a little steadier")
        return self.tr("steady") if value < 1.2 else self.tr("very steady")


def _writes_several(preferences: Preferences) -> bool:
    return preferences.captions.decode.decoder == "multitoken"


def _keeps_by(preferences: Preferences, rule: str) -> bool:
    return _writes_several(preferences) and preferences.captions.decode.acceptance in (rule, "both")


def _count(value: float) -> str:
    return f"{value:.0f}"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"
