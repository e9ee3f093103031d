"""What the captions benchmark hears."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.audio import SAMPLE_RATE_HZ
from engine.bench.captions.clips import (
    LONG_FILE_SECONDS,
    PAUSE_SECONDS,
    BenchError,
    Clip,
    bench_sentences,
    read_manifest,
    spoken_clips,
    spoken_files,
)
from engine.recipes.speech.espeak import Voice
from tests.app.scripted_hearing import write_wav


def seconds_of(clip: Clip) -> float:
    return len(clip.listen()) / SAMPLE_RATE_HZ


def assert_words_are_timed(clip: Clip) -> None:
    assert [word.text.strip() for word in clip.words] == clip.text.split()
    starts, ends = [word.start for word in clip.words], [word.end for word in clip.words]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert starts[0] >= PAUSE_SECONDS
    assert ends[-1] < seconds_of(clip)


def test_a_spoken_clip_knows_when_each_word_is_said() -> None:
    first, second = spoken_clips(2, sentences_each=2)
    assert_words_are_timed(first)
    assert_words_are_timed(second)
    assert f"{first.text} {second.text}" == " ".join(bench_sentences()[:4])


def test_voices_take_turns_clip_by_clip() -> None:
    slow, quick = Voice("en-us", 100), Voice("en-us", 300)
    clips = spoken_clips(3, voices=(slow, quick))
    others = spoken_clips(3, voices=(quick, slow))
    assert [clip.text for clip in clips] == bench_sentences()[:3]
    longer = [seconds_of(a) > 1.5 * seconds_of(b) for a, b in zip(clips, others, strict=True)]
    shorter = [1.5 * seconds_of(a) < seconds_of(b) for a, b in zip(clips, others, strict=True)]
    assert longer == [True, False, True] and shorter == [False, True, False]


def test_words_are_loud_where_they_are_said_to_be() -> None:
    (clip,) = spoken_files(0.2)
    samples = clip.listen()
    said = np.zeros(len(samples), bool)
    for word in clip.words:
        said[round(word.start * SAMPLE_RATE_HZ) : round(word.end * SAMPLE_RATE_HZ)] = True
    assert np.square(samples[~said]).mean() < 0.01 * np.square(samples[said]).mean()


def test_without_minutes_every_sentence_is_said_once_by_several_voices() -> None:
    files = spoken_files()
    assert " ".join(clip.text for clip in files) == " ".join(bench_sentences())
    assert len(files) > 1
    assert all(seconds_of(clip) < 150 for clip in files)


def test_twenty_minutes_begin_with_a_file_of_ten() -> None:
    files = spoken_files(20)
    assert sum(map(seconds_of, files)) >= 20 * 60
    assert seconds_of(files[0]) >= LONG_FILE_SECONDS
    assert len({clip.name for clip in files}) == len(files)
    for clip in files:
        assert_words_are_timed(clip)


def test_sentences_come_again_in_another_voice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.bench.captions.clips.bench_sentences", lambda: ["One two three.", "Four five six."])
    (clip,) = spoken_files(0.2)
    again = clip.text.split().count("One")
    assert again >= 3
    lengths = {round(clip.words[i + 2].end - clip.words[i].start, 2) for i in range(0, 6 * again - 6, 6)}
    assert len(lengths) > 2


def test_a_limit_ends_the_set_early() -> None:
    assert len(spoken_files(6, limit=2)) == 2


def test_a_manifest_names_files_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    write_wav(tmp_path / "sub" / "a.wav", np.ones(160) / 2)
    lines = [
        {"id": "a", "file": "sub/a.wav", "text": "One.", "seconds": 1},
        {"file": "sub/b.wav", "text": "Zwei.", "lang": "de"},
        {"file": "sub/c.wav", "text": "Three.", "lang": "en"},
    ]
    manifest = tmp_path / "manifest.jsonl"
    manifest.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    clips = read_manifest(manifest, ["en"])
    assert [(clip.name, clip.text, clip.language) for clip in clips] == [("a", "One.", "en"), ("c", "Three.", "en")]
    assert len(clips[0].listen()) == 160
    assert len(read_manifest(manifest, ["en"], limit=1)) == 1


@pytest.mark.parametrize("content", [None, "", "no json\n", '{"file": "a.wav"}\n', "[1]\n", b"\xff\xfe"])
def test_a_manifest_without_recordings_is_one_clear_sentence(tmp_path: Path, content: str | bytes | None) -> None:
    manifest = tmp_path / "manifest.jsonl"
    if content is not None:
        manifest.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BenchError, match="manifest"):
        read_manifest(manifest, ["en"])


def test_a_folder_of_chapters_is_a_manifest(tmp_path: Path) -> None:
    write_wav(tmp_path / "b.wav", np.ones(320) / 2)
    write_wav(tmp_path / "a.flac", np.ones(160) / 2)
    for name, texts in (("b", ["FIVE"]), ("a", ["ONE TWO", "THREE"])):
        segments = [{"id": str(i), "start": i, "end": i + 1.0, "text": text} for i, text in enumerate(texts)]
        (tmp_path / f"{name}.segments.json").write_text(json.dumps(segments))
    clips = read_manifest(tmp_path, ["en"])
    assert [(clip.name, clip.text, len(clip.listen())) for clip in clips] == [
        ("a", "ONE TWO THREE", 160),
        ("b", "FIVE", 320),
    ]


@pytest.mark.parametrize("content", ["no json", "[1]", "{}", '[{"start": 1}]', "1"])
def test_chapters_without_texts_are_one_clear_sentence(tmp_path: Path, content: str) -> None:
    write_wav(tmp_path / "a.wav", np.ones(160) / 2)
    (tmp_path / "a.segments.json").write_text(content)
    with pytest.raises(BenchError, match=r"manifest .*a\.segments\.json must be a list"):
        read_manifest(tmp_path, ["en"])


def test_a_chapter_without_its_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.segments.json").write_text('[{"text": "ONE"}]')
    with pytest.raises(BenchError, match=r"no recording beside a\.segments\.json"):
        read_manifest(tmp_path, ["en"])


def test_an_empty_folder_names_no_recording(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="names no recording"):
        read_manifest(tmp_path, ["en"])


def test_the_chapters_of_librispeech_can_be_read(shared_data: Path) -> None:
    clips = read_manifest(shared_data / "speech" / "long", ["en"])
    assert [clip.name for clip in clips] == ["ls-1272-128104", "ls-1272-135031", "ls-1272-141231"]
    assert seconds_of(clips[0]) == pytest.approx(148.95, abs=0.1)
    assert clips[0].text.startswith("MISTER QUILTER IS THE APOSTLE OF THE MIDDLE CLASSES")
