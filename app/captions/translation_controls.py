"""The settings of translation that stand both beneath its button and in the tuning panel."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.widgets.control import CheckControl, Scale, SliderControl, plain

MOST_BIAS = 0.5
"""From here on no word that stands is ever changed."""

BIAS = Scale(0.0, MOST_BIAS, 0.05)
MASK = Scale(0, 8, 1)


class TranslationControls(QObject):
    """Makes the controls and says their values in words.

    Attributes:
        steadiness: how much the last translation is preferred.
        held_back: how many of the newest words are not shown yet.
        stable: whether shown words ever change.
    """

    def __init__(self, parent: QObject | None = None, *, mnemonics: bool = True) -> None:
        """`mnemonics` are for a window of their own: in the main window its menus have the keys."""
        super().__init__(parent)
        named = str if mnemonics else plain
        self.steadiness = SliderControl(
            named(self.tr("Stead&iness")),
            BIAS,
            self._words_for_bias,
            self.tr(
                "To the right, words that are shown are kept where the model hesitates: easier to read, "
                "but an early mistake stays longer."
            ),
        )
        self.held_back = SliderControl(
            named(self.tr("&Hold back")),
            MASK,
            self._words_for_mask,
            self.tr("The newest words are the least certain. Held back, they change less and come later."),
        )
        self.stable = CheckControl(
            named(self.tr("&Never change what is shown")),
            self.tr("Words are only ever added. They come later, and what is said later cannot correct them."),
        )

    def _words_for_bias(self, bias: float) -> str:
        if bias <= 0:
            return self.tr("always the likeliest words")
        if bias >= MOST_BIAS:
            return self.tr("never changes a word")
        if bias < 0.15:
            return self.tr("a little steadier")
        return self.tr("steady") if bias < 0.3 else self.tr("very steady")

    def _words_for_mask(self, mask: float) -> str:
        if mask < 1:
            return self.tr("nothing")
        return self.tr("the newest word") if mask == 1 else self.tr("the {:.0f} newest words").format(mask)
