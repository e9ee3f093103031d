"""People for the benches: two halves of speakers, joined and single."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engine.audio import SAMPLE_RATE_HZ
from lab.bench.captions import people
from lab.bench.captions.clips import Clip
from lab.bench.errors import BenchError

CHOOSE = ["1272", "1462", "1673", "1919", "1988", "1993", "2035", "2078"]
JUDGE = ["2086", "2412", "2428", "251", "2803", "422", "652", "777"]
SECONDS = 3


def level(speaker: int, number: int) -> float:
    """Return the value of every sample of an utterance, by which it is known again."""
    return (10 * speaker + number + 1) / 64


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four speakers with six utterances each, one speaker's too long, and somebody who is not LibriSpeech's."""
    folder = tmp_path / "speech" / "librispeech"
    folder.mkdir(parents=True)
    lines = []
    for speaker in range(4):
        for number in range(6):
            seconds = 29 if (speaker, number) == (3, 0) else SECONDS
            name = f"ls-{speaker}-7-{number:04}"
            soundfile.write(folder / f"{name}.wav", np.full(seconds * SAMPLE_RATE_HZ, level(speaker, number)), 16_000)
            record = {"id": name, "file": f"librispeech/{name}.wav", "text": f"{speaker} SAYS {number}"}
            lines.append(json.dumps(record | {"seconds": seconds}))
    lines.append(json.dumps({"id": "lj-9-1", "file": "librispeech/../lj.wav", "text": "one", "seconds": 1}))
    (tmp_path / "speech" / "manifest.jsonl").write_text("\n".join(reversed(lines)))
    monkeypatch.setenv(people.DATA_VARIABLE, str(tmp_path))
    return tmp_path


def test_the_halves_of_librispeechs_speakers_are_those_of_the_docs(shared_data: Path) -> None:
    assert people.manifest() == shared_data / people.MANIFEST
    assert list(people.speakers("choose")) == CHOOSE
    assert list(people.speakers("judge")) == JUDGE
    quick = people.joined_and_single("judge", 1.25)
    assert len({clip.speaker for clip in quick}) >= 4
    assert 60 <= sum(len(clip.listen()) for clip in quick) / SAMPLE_RATE_HZ <= 110
    assert any(len(clip.utterances) > 1 for clip in quick) and any(len(clip.utterances) == 1 for clip in quick)


def test_the_labs_own_people_are_heard_where_there_are_no_others() -> None:
    assert people.manifest() == people.LAB_MANIFEST
    assert list(people.speakers("choose")) == ["1272", "1988", "2035", "2078"]
    assert list(people.speakers("judge")) == ["2412", "251", "652", "777"]
    quick = people.joined_and_single("judge", 1.25)
    assert len({clip.speaker for clip in quick}) == 4
    assert 70 <= sum(len(clip.listen()) for clip in quick) / SAMPLE_RATE_HZ <= 85


def test_the_halves_of_the_labs_own_people_are_of_the_same_halves_as_in_the_docs() -> None:
    assert set(people.speakers("choose")) <= set(CHOOSE) and set(people.speakers("judge")) <= set(JUDGE)


def test_the_labs_own_people_last_as_long_as_their_manifest_says() -> None:
    for split in people.SPLITS:
        for clip in people.utterances(split):
            assert len(clip.listen()) / SAMPLE_RATE_HZ == pytest.approx(clip.utterances[0].end, abs=0.01)


def test_half_of_the_speakers_choose_and_the_others_judge(data: Path) -> None:
    assert list(people.speakers("choose")) == ["0", "1"]
    judges = people.speakers("judge")
    assert list(judges) == ["2", "3"]
    assert [clip.name[-1] for clip in judges["3"]] == ["1", "2", "3", "4", "5"]  # the first one is too long
    assert {clip.speaker for clip in judges["2"]} == {"2"}


def test_single_utterances_are_in_turn_one_of_each_speaker(data: Path) -> None:
    assert [clip.text for clip in people.utterances("choose", 3)] == ["0 SAYS 0", "1 SAYS 0", "0 SAYS 1"]
    assert len(people.utterances("judge")) == 11


def test_joined_utterances_are_where_they_are_said_to_be(data: Path) -> None:
    said = people.speakers("choose")["1"][:3]
    clip = people.joined("1", said)
    samples = clip.listen()
    assert clip.text == "1 SAYS 0 1 SAYS 1 1 SAYS 2"
    for number, part in enumerate(clip.utterances):
        inside = samples[round(part.start * SAMPLE_RATE_HZ) : round(part.end * SAMPLE_RATE_HZ)]
        assert len(inside) == SECONDS * SAMPLE_RATE_HZ
        assert np.allclose(inside, level(1, number), atol=1e-4)
    gaps = [b.start - a.end for a, b in zip(clip.utterances, clip.utterances[1:], strict=False)]
    assert gaps == pytest.approx(people.GAPS_SECONDS[:2])
    assert np.count_nonzero(samples) == 3 * SECONDS * SAMPLE_RATE_HZ


def texts(clip: Clip) -> list[str]:
    return [part.text for part in clip.utterances]


def test_time_is_shared_out_between_stretches_and_single_utterances(data: Path) -> None:
    stretch, other, *more = people.joined_and_single("choose", 0.5)  # 24 s in one stretch, 6 s in single ones
    assert texts(stretch) == [f"0 SAYS {number}" for number in range(6)]
    assert texts(other) == ["1 SAYS 0"]  # a speaker who has not spoken yet comes first
    assert [text for clip in more for text in texts(clip)] == ["1 SAYS 1", "1 SAYS 2", "1 SAYS 3"]


def test_more_minutes_than_there_are_end_with_all_that_is_said(data: Path) -> None:
    clips = people.joined_and_single("judge", 10)
    assert sorted(text for clip in clips for text in texts(clip)) == sorted(
        clip.text for clip in people.utterances("judge")
    )


def test_one_speaker_alone_cannot_be_halved(data: Path) -> None:
    manifest = data / people.MANIFEST
    manifest.write_text("\n".join(line for line in manifest.read_text().splitlines() if "ls-1-" in line))
    with pytest.raises(BenchError, match="names too few speakers"):
        people.speakers("judge")
