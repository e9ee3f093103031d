"""The ways of translating that are compared: plain re-translation, SSBD as published, and Earshot's additions.

All of them use the same model and the same growing texts, so that only the way differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.language.speculative_decoding import SpeculationOptions
from engine.language.token_model import TranslationModel
from engine.options import TranslationOptions
from engine.translate.for_files import for_files
from engine.translate.translator import Translator
from engine.translate.update import USUAL, Drafting

BIASES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Table 3 of the SSBD paper; from 0.5 on every drafted token is kept."""

PUBLISHED_BIAS = 0.2
MASKS = (3, 5)
"""Table 4 of the paper."""

PLAIN, UNCACHED, FINALS_ONLY = "plain", "plain-uncached", "finals-only"
CHECKED, UNAHEAD, MASKED, FULL, CAREFUL = "checked", "no-look-ahead", "held-back", "full", "careful"
STABLE, ODDS_ALONE = "stable", "stable-by-odds"


@dataclass(frozen=True, slots=True)
class TranslationMethod:
    """A way of translating.

    Attributes:
        name: its name for `--methods`.
        title: its name in a table.
        table: the paper's table that it belongs to; "ours" if the paper does not have it.
        drafting: use of the last translation as a draft.
        spending: use of the cache and of guesses; None uses all that there is.
        finals_only: nothing is translated before its caption is final.
        doubtful: translates doubtful pending words, too.
    """

    name: str
    title: str
    table: str
    options: TranslationOptions
    drafting: Drafting = USUAL
    spending: SpeculationOptions | None = None
    finals_only: bool = False
    doubtful: bool = False

    def translator(self, model: TranslationModel) -> Translator:
        """Make a translator of texts that have nothing to do with each other. Raises as Translator does."""
        return Translator(model, self.options, drafting=self.drafting, spending=self.spending, context_sentences=0)


def biased(bias: float) -> str:
    """Return the name of SSBD as published with a bias."""
    return f"ssbd@{bias:g}"


def trimmed(words: int) -> str:
    """Return the name of SSBD whose draft loses its last words."""
    return f"mask-{words}"


def display_only(words: int) -> str:
    """Return the name of SSBD that hides the last words and still drafts them."""
    return f"display-{words}"


def ways(earshot: TranslationOptions) -> tuple[TranslationMethod, ...]:
    """Return all ways in the order of the tables; `earshot` has the target and the options of Earshot's own ways.

    As published: one bias for all tokens of all updates, no draft after the first difference, and all of a translation
    shown at once. All ways but one keep the cache of the prompt, also plain re-translation, with which the others are
    compared.
    """
    retranslates = Drafting(drafts=False, biases_hidden=True, ending="biased", skips_hidden=False, repairs=False)
    drafts = replace(retranslates, drafts=True)
    published = SpeculationOptions(resync=False, look_ahead=False)
    plain = replace(earshot, bias=0.0, display="mask-k", mask=0, stable=False)
    full = replace(earshot, stable=False)

    def ssbd(
        name: str, title: str, table: str, bias: float = PUBLISHED_BIAS, mask: int = 0, trims: bool = False
    ) -> TranslationMethod:
        options, drafting = replace(plain, bias=bias, mask=mask), replace(drafts, trims_draft=trims)
        return TranslationMethod(name, title, table, options, drafting, published, doubtful=True)

    return (
        TranslationMethod(PLAIN, "Plain re-translation", "bias", plain, retranslates, published, doubtful=True),
        TranslationMethod(
            UNCACHED, "Plain, prompt computed anew", "ours", plain, retranslates,
            replace(published, reuse_cache=False), doubtful=True,
        ),
        TranslationMethod(
            FINALS_ONLY, "Finished captions only", "ours", plain, retranslates, published, finals_only=True
        ),
        *(ssbd(biased(b), f"SSBD, bias {b:g}", "bias", b) for b in BIASES),
        *(ssbd(trimmed(k), f"SSBD, mask-{k}, draft trimmed", "mask", mask=k, trims=True) for k in MASKS),
        *(ssbd(display_only(k), f"SSBD, mask-{k}, display only", "mask", mask=k) for k in MASKS),
        TranslationMethod(CHECKED, "Earshot's, end without bias", "ours", full, Drafting(ending="own")),
        TranslationMethod(
            MASKED, "Earshot's, six words held back, end without bias", "ours",
            replace(full, display="mask-k", mask=6), Drafting(ending="own"),
        ),
        TranslationMethod(UNAHEAD, "Earshot's, no look-ahead", "ours", full, spending=SpeculationOptions()),
        TranslationMethod(FULL, "Earshot's default", "ours", full),
        TranslationMethod(STABLE, "Earshot's, stable", "ours", replace(earshot, stable=True)),
        TranslationMethod(
            ODDS_ALONE, "Earshot's, stable, by odds alone", "ours",
            replace(earshot, stable=True), Drafting(agreed_words=0),
        ),
        TranslationMethod(
            CAREFUL, "Plain, five candidates at the end", "ours", for_files(plain), retranslates, published
        ),
    )  # fmt: skip


QUICK = (PLAIN, FINALS_ONLY, biased(PUBLISHED_BIAS), display_only(MASKS[0]), FULL)
"""The ways of `--quick`: those of the headline figures."""

HEARD = (PLAIN, FINALS_ONLY, FULL)
"""The ways that translate heard texts in a quick run."""
