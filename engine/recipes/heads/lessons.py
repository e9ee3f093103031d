"""The lessons of a training of heads, kept on disk: a model's transcripts, with the states they were written from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import mlx.core as mx
import numpy as np

from engine.errors import ModelError
from engine.recipes.heads.teacher import NO_AUDIO, HeadsError, Lesson, Teacher
from engine.recipes.speech.speech_source import Speech

LESSONS_IN_A_FILE = 250
MOST_TRIES = 20  # for each lesson that is wanted
Report = Callable[[str], None]


class Lessons:
    """Lessons in files of a few hundred, read as they are asked for: they may be larger than memory."""

    def __init__(self, folder: Path, about: str) -> None:
        """Open what is there. `about` says whose lessons they are; ModelError where those there are another's."""
        self._folder = folder
        self._about = about
        self._files: list[Any] = []
        self._places: list[tuple[int, slice, slice]] = []  # file, tokens, frames
        while self._path(len(self._files)).is_file():
            self._open(self._path(len(self._files)))

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: int) -> Lesson:
        file, tokens, frames = self._places[index]
        tokens_of, states_of, audio_of = (self._files[file].get_slice(name) for name in ("tokens", "states", "audio"))
        audio = audio_of[frames] if frames.start < frames.stop else NO_AUDIO
        return Lesson(tokens_of[tokens], states_of[tokens], audio)

    def add(self, lessons: list[Lesson]) -> None:
        """Write one more file, which appears whole."""
        from safetensors.numpy import save_file

        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._path(len(self._files))
        partial = path.with_suffix(".partial")
        tensors = {
            name: np.concatenate([getattr(one, name) for one in lessons]) for name in ("tokens", "states", "audio")
        }
        counts = [[len(one.tokens), len(one.audio)] for one in lessons]
        save_file(tensors | {"counts": np.array(counts, np.int32)}, partial, {"about": self._about})
        partial.replace(path)
        self._open(path)

    def tokens(self) -> Iterator[np.ndarray]:
        """The tokens of each file's lessons, end to end."""
        return (file.get_tensor("tokens") for file in self._files)

    def _open(self, path: Path) -> None:
        from safetensors import SafetensorError, safe_open

        try:
            file = safe_open(str(path), framework="numpy")
            ends = np.cumsum(file.get_tensor("counts"), axis=0)
            about = (file.metadata() or {}).get("about")
        except (SafetensorError, OSError) as error:
            raise ModelError(
                f"{path} is damaged ({error}). Delete it; training with --resume makes it again."
            ) from error
        if about != self._about:
            raise ModelError(f"{path} holds another model's lessons, or for other heads. Train in another folder.")
        begins = np.concatenate([np.zeros((1, 2), int), ends[:-1]])
        for begin, end in zip(begins, ends, strict=True):
            self._places.append((len(self._files), slice(begin[0], end[0]), slice(begin[1], end[1])))
        self._files.append(file)

    def _path(self, number: int) -> Path:
        return self._folder / f"lessons-{number:04d}.safetensors"


def collect(
    lessons: Lessons,
    teacher: Teacher,
    speech: Speech,
    wanted: int,
    seed: int,
    report: Report,
) -> None:
    """Let a model write what it hears until there are as many lessons as wanted. HeadsError where it never does."""
    while len(lessons) < wanted:
        # Each file begins with a seed of its own, so that a collection that was cut off goes on as it would have.
        random = Random(f"{seed} lessons {len(lessons)}")
        some: list[Lesson] = []
        for _ in range(MOST_TRIES * LESSONS_IN_A_FILE):
            lesson = teacher.lesson(speech.draw(random))
            some += [] if lesson is None else [lesson]
            if len(some) == min(LESSONS_IN_A_FILE, wanted - len(lessons)):
                break
        else:
            raise HeadsError(f"The model {teacher.hearing.name} hardly ever writes anything of this speech.")
        lessons.add(some)
        mx.clear_cache()
        report(f"collected {len(lessons)} of {wanted} transcripts")
