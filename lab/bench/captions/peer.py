"""The peer that captions are held against: faster-whisper in int8 with the same weights, as Whisper-Streaming uses it.

Session, voice gate, buffer and LocalAgreement-2 are those of our row of Whisper-Streaming's way; only what hears a
stretch is another program, set as Whisper-Streaming sets it: five candidates, word times, the end of the text that has
left the buffer as the prompt, faster-whisper's own fallback over temperatures.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from engine.audio import Samples
from engine.events import Hypothesis, Reference, Word
from engine.hear.recognizer import NO_REFERENCE, PADDED_BUFFER_SECONDS, Recognizer
from engine.hear.whisper.load import HearingModel
from engine.machine import backend
from engine.machine.onnx_runtime import onnx_runtime
from lab.bench.captions.peer_model import write_peer_model
from lab.bench.errors import BenchError

HOW_TO_GET = "faster-whisper is not installed: 'uv sync --group peers' or 'pip install faster-whisper' adds its row."
BEAM = 5
MOST_SILENT = 0.9
"""A segment that is likelier silence than this is left out (Whisper-Streaming's ts_words)."""


def has_peer() -> bool:
    """Return whether faster-whisper is installed."""
    return importlib.util.find_spec("faster_whisper") is not None


class PeerRecognizer(Recognizer):
    """Hears with faster-whisper."""

    buffer_seconds = PADDED_BUFFER_SECONDS

    def __init__(self, hearing: HearingModel) -> None:
        """Load a model's weights into faster-whisper. BenchError where that is not installed."""
        if not has_peer():
            raise BenchError(HOW_TO_GET)
        onnx_runtime()  # which faster-whisper imports, and which reports to nobody if it was imported here first
        from faster_whisper import WhisperModel

        self.languages = hearing.languages
        with tempfile.TemporaryDirectory(prefix="earshot-peer-") as folder:
            write_peer_model(hearing, Path(folder))
            threads = backend.most_threads()
            self._model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=threads, num_workers=1)

    def hear(
        self,
        samples: Samples,
        *,
        offset_seconds: float,
        prompt: str,
        language: str | None,
        final: bool = False,
        reference: Reference = NO_REFERENCE,
    ) -> Hypothesis:
        """Hear samples (n,) as Recognizer.hear says; what was heard before is no use to it."""
        segments, found = self._model.transcribe(
            samples,
            language=language,
            initial_prompt=prompt or None,
            beam_size=BEAM,
            word_timestamps=True,
            condition_on_previous_text=True,
        )
        words = tuple(
            Word(word.word, offset_seconds + word.start, offset_seconds + word.end, probability=word.probability)
            for segment in segments
            if segment.no_speech_prob <= MOST_SILENT
            for word in segment.words or ()
        )
        return Hypothesis(words, found.language)
