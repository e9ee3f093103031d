"""Writing on greedily where the last hypothesis stopped to hold, with what is left of it offered again.

Most differences between two rounds are one word that came out otherwise, in the middle of a text that stays: what
follows it is found again and read as one block. What the decoder would have written is written in any case, so that
the text is that of plain greedy decoding.
"""

from __future__ import annotations

from engine.hear.decode.beam import Candidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.multitoken import Acceptance, confirmed, grown, is_finished
from engine.hear.decode.rules import Row
from engine.hear.decode.search import Terms, Written
from engine.hear.decode.steps import Steps
from engine.language.drafts import DraftRest

LIKELIEST = Acceptance("top-m", ahead=1)


def write_again(reader: Reader, text: Candidate, row: Row, terms: Terms, rest: DraftRest) -> Steps[Written]:
    """Write on from a text that the reader has read, by the logits (v,) that follow it, offering the rest of a draft.

    Pauses after every forward. Ends when the text does, when it is over, or when cancelled.
    """
    steps = reused = 0
    if terms.is_over(text.tokens):
        return Written(text)
    terms.allow(row, text.tokens)
    while True:
        text = grown(text, int(row.argmax()), row, terms)
        steps += 1
        if is_finished(text, terms) or terms.cancelled():
            return Written(text, steps, steps, reused_tokens=reused)
        written = len(text.tokens)
        draft = rest.guess(text.tokens, terms.limit - written)
        rows = reader.read([text.tokens[-1], *draft], range(len(draft) + 1))
        yield
        text, row = confirmed(text, draft, rows, terms, LIKELIEST)
        kept = len(text.tokens) - written
        rest.judge(kept)
        reused += kept
        if is_finished(text, terms):
            return Written(text, steps, steps, reused_tokens=reused)
        if kept < len(draft):
            reader.truncate(reader.cache.offset - len(draft) + kept)
