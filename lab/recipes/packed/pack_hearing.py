"""Packs people for `packed-hearing` and `packed-speech-llama`: log-mel, what a Whisper writes of it, its encoder."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from engine.hear.whisper.load import HearingModel, load_hearing_model
from engine.hear.whisper.mel import log_mel
from lab.recipes.draft.train import Spelling, held_out_speakers, usable
from lab.recipes.packed.folder import ABOUT, write_arrays
from lab.recipes.packed.people import ENCODER
from lab.recipes.packed.sounds import FRAMES_PER_SECOND, coded
from lab.recipes.speech.torch_whisper import TorchWhisper
from lab.recipes.speech.transcripts import Transcript, TranscriptError, Transcripts, shuffled
from lab.recipes.speech_llama.tokens import WordSpelling, byte_pairs_of
from lab.recipes.training.options import add_options, read_options

SAYS = {
    "data": "transcripts (`train transcripts --quick`)",
    "out": "the folder to carry to the GPU",
    "model": "what wrote them",
    "hours": "of speech, at most, as many speakers as there are",
    "pieces": "the network writes with",
}


@dataclass(frozen=True, slots=True)
class PackHearingOptions:
    """Options of a pack."""

    data: Path
    out: Path
    model: str = "starter"
    hours: float = 3.3
    pieces: int = 400


def pack(options: PackHearingOptions) -> None:
    """Write the folder. EngineError where there is no speech or the folder gets too large."""
    hearing = load_hearing_model(options.model)
    transcripts = usable(Transcripts(options.data, hearing.fingerprint).read())
    apart = held_out_speakers(transcripts)
    chosen = within(by_turns(transcripts), options.hours)
    if not chosen:
        raise TranscriptError(f"{options.data} has no transcripts to learn from. Write some first.")
    spelling = Spelling(hearing.tokenizer, options.pieces)
    written = [spelling(one.text) for one in chosen]
    llama = WordSpelling(byte_pairs_of(hearing.tokenizer))
    spelled = [llama.spell(one.words) for one in chosen]
    mels = [coded(np.array(log_mel(one.clip.listen(), hearing.model.dims.n_mels))) for one in chosen]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / ABOUT).write_text(json.dumps(_about(hearing, options.pieces)), encoding="utf-8")
    encoder = TorchWhisper(hearing.model).encoder
    weights = {f"{ENCODER}{name}": tensor.half().numpy() for name, tensor in encoder.state_dict().items()}
    arrays = {
        "mel": np.concatenate([added for added, _ in mels]),
        "loudest": np.array([loudest for _, loudest in mels], np.float32),
        "frames": np.array([len(added) for added, _ in mels], np.int32),
        "pieces": np.array(list(chain.from_iterable(written)), np.uint16),
        "counts": np.array([len(pieces) for pieces in written], np.int32),
        "tokens": np.array([token for tokens, _ in spelled for token in tokens], np.uint16),
        "token_counts": np.array([len(tokens) for tokens, _ in spelled], np.int32),
        "times": np.array([time for _, times in spelled for time in times]).reshape(-1, 2) * FRAMES_PER_SECOND,
        "held_out": np.array([one.clip.speaker in apart for one in chosen]),
        f"{ENCODER}positions": encoder.positions.half().numpy(),
    }
    arrays["times"] = arrays["times"].round().astype(np.uint16)
    write_arrays(options.out, arrays | weights)
    hours = sum(one.clip.seconds for one in chosen) / 3600
    print(
        f"{len(chosen)} clips of {len({one.clip.speaker for one in chosen})} speakers, {hours:.2f} h in {options.out}"
    )


def by_turns(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Return a clip of every speaker, then the second of each, and so on."""
    speakers: dict[str, list[Transcript]] = defaultdict(list)
    ranked = {id(one.clip): one for one in transcripts}
    for clip in shuffled(one.clip for one in transcripts):
        speakers[clip.speaker].append(ranked[id(clip)])
    return [one for turn in zip_longest(*speakers.values()) for one in turn if one is not None]


def within(transcripts: Sequence[Transcript], hours: float) -> list[Transcript]:
    """Return as many of the first transcripts as fit."""
    ends = np.cumsum([one.clip.seconds for one in transcripts])
    return list(transcripts[: int(np.searchsorted(ends, 3600 * hours, side="right"))])


def _about(hearing: HearingModel, pieces: int) -> dict[str, str]:
    return {
        "fingerprint": hearing.fingerprint,
        "model": hearing.name,
        "opening": json.dumps([hearing.tokenizer.eot, *hearing.tokenizer.sot_sequence("en")]),
        "dims": json.dumps(asdict(hearing.model.dims)),
        "pieces": json.dumps([hearing.tokenizer.token_bytes(piece).decode("latin-1") for piece in range(pieces)]),
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this recipe to a command."""
    add_options(parser, PackHearingOptions, SAYS)


def run(args: argparse.Namespace) -> None:
    """Pack as the command line asks."""
    pack(read_options(PackHearingOptions, args))
