"""The text search that the options select: greedy, beam, pruned beam or multi-token."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.hear.decode.beam import Beam, Greedy, Search, TextCandidate
from engine.hear.decode.decoder import Reader
from engine.hear.decode.drafted_beam import ReadDraft, write_drafted_beam
from engine.hear.decode.multitoken import LIKELIEST, make_acceptance, write_ahead
from engine.hear.decode.prefix_beam import write_beam
from engine.hear.decode.pruning import IMPROVED, Key, PrunedBeam, Pruning
from engine.hear.decode.resync import DraftRemainder
from engine.hear.decode.rules import Row
from engine.hear.decode.search import Terms, Written, run_search
from engine.hear.decode.steps import Steps
from engine.options import DecodeOptions


def write(
    reader: Reader,
    text: TextCandidate,
    row: Row,
    terms: Terms,
    options: DecodeOptions,
    *,
    temperature: float = 0.0,
    generator: np.random.Generator | None = None,
    guide: Sequence[int] = (),
    key: Key | None = None,
    pruning: Pruning = IMPROVED,
    rest: DraftRemainder | ReadDraft | None = None,
) -> Steps[Written]:
    """Continue a text that the reader has read, from the logits (v,) of the next token.

    The generator pauses after every decoder pass.

    Args:
        temperature, generator: above 0, tokens are sampled, without beam and without multi-token heads.
        guide, key, pruning: reference of a pruned beam, and how it is compared; see engine.hear.decode.pruning.
        rest: the draft from its first rejected token on, for one candidate; or the draft that the reader has read
            beyond the text, for a beam.
    """
    if isinstance(rest, ReadDraft):
        return (yield from write_drafted_beam(reader, Beam(terms.eot, options.beam_size), text, rest, terms))
    if options.decoder == "multitoken" and temperature == 0:
        acceptance = make_acceptance(options, reader.decoder)
        if options.beam_size == 1:
            return (yield from write_ahead(reader, text, row, terms, acceptance, rest))
        beam = Beam(terms.eot, options.beam_size)
        return (yield from write_beam(reader, beam, text, row, terms, acceptance))
    if rest is not None and options.beam_size == 1 and temperature == 0:
        return (yield from write_ahead(reader, text, row, terms, LIKELIEST, rest))
    search = make_search(options, temperature, terms.eot, generator, guide, key, pruning)
    search.live = [text]
    return (yield from run_search(reader, search, row[None], terms))


def make_search(
    options: DecodeOptions,
    temperature: float,
    eot: int,
    generator: np.random.Generator | None = None,
    guide: Sequence[int] = (),
    key: Key | None = None,
    pruning: Pruning = IMPROVED,
) -> Search:
    """Return a beam if the options ask for one (pruned if there is a guide), else a greedy search.

    At temperatures above 0 the search is greedy too.
    """
    size = options.beam_size
    if size == 1 or temperature > 0:
        return Greedy(eot, temperature, generator)
    if not guide or key is None:
        return Beam(eot, size)
    return PrunedBeam(eot, size, reference=guide, key=key, pruning=pruning)
