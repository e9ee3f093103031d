"""A Speech-LLaMA begins with what a Whisper knows, learns from its transcripts, and loads as it was exported."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the recipe trains with torch, a development-only dependency")

import torch.nn.functional as F  # noqa: E402

from app.terminal.cli import main  # noqa: E402
from engine.errors import OptionError  # noqa: E402
from engine.hear.speech_llama.load import load_speech_llama, tokens_of  # noqa: E402
from engine.hear.whisper.load import HearingModel, load_hearing_model  # noqa: E402
from lab.recipes.speech.ear_features import Changed, EarFeatures  # noqa: E402
from lab.recipes.speech.torch_whisper import TorchWhisper  # noqa: E402
from lab.recipes.speech.transcripts import Teacher, Transcripts, read_manifest, write_transcripts  # noqa: E402
from lab.recipes.speech_llama.graft import AUDIO_SCALE, graft, shape_for  # noqa: E402
from lab.recipes.speech_llama.lessons import Piece, SpeechLessons, cut, joined, trustworthy  # noqa: E402
from lab.recipes.speech_llama.loss import guide_loss, head_weights, loss_of  # noqa: E402
from lab.recipes.speech_llama.model import SpeechLlama  # noqa: E402
from lab.recipes.speech_llama.special import BEGIN, END, IGNORE  # noqa: E402
from lab.recipes.speech_llama.tokens import WordSpelling, byte_pairs_of  # noqa: E402
from lab.recipes.speech_llama.train import SpeechLlamaOptions, SpeechLlamaTraining, train  # noqa: E402
from tests.toy_models import TOY, TOY_MEETING  # noqa: E402

TEXTS = ("Good morning, everyone.", "Can you hear me?", "They appear on the screen while we are speaking.")


@pytest.fixture(scope="module")
def hearing() -> HearingModel:
    return load_hearing_model(TOY)


@pytest.fixture(scope="module")
def spelling(hearing: HearingModel) -> WordSpelling:
    return WordSpelling(byte_pairs_of(hearing.tokenizer))


@pytest.fixture(scope="module")
def whisper(hearing: HearingModel) -> TorchWhisper:
    return TorchWhisper(hearing.model).eval()


@pytest.fixture(scope="module")
def grafted(hearing: HearingModel, whisper: TorchWhisper, spelling: WordSpelling) -> SpeechLlama:
    torch.manual_seed(0)
    embedding = torch.from_numpy(np.array(tokens_of(hearing)))
    assert len(embedding) == spelling.tokenizer.get_vocab_size()
    model = SpeechLlama(shape_for(hearing.model.dims, len(embedding), 40, 3)).eval()
    graft(model, whisper.decoder, embedding, hearing.tokenizer.sot_sequence("en"))
    return model


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Manifests of what two speakers say in a meeting: one to learn from, one to judge by."""
    folder = tmp_path_factory.mktemp("data")
    said = json.loads(TOY_MEETING.with_suffix(".json").read_text())["sentences"]
    for speaker in ("Anna", "Ben"):
        lines = [
            json.dumps(one | {"file": str(TOY_MEETING), "seconds": one["end"] - one["start"]})
            for one in said
            if one["speaker"] == speaker
        ]
        (folder / speaker).write_text("\n".join(lines))
    return folder / "Anna", folder / "Ben"


@pytest.fixture(scope="module")
def written(hearing: HearingModel, manifests: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy's transcripts of what is learnt from."""
    folder = tmp_path_factory.mktemp("transcripts")
    write_transcripts(Teacher(hearing), read_manifest(manifests[0], ["en"]), folder, 5.0, 1, lambda line: None)
    return folder


@pytest.fixture
def options(written: Path, manifests: tuple[Path, Path], tmp_path: Path) -> SpeechLlamaOptions:
    return SpeechLlamaOptions(
        written, tmp_path / "run", judge=manifests[1], model=str(TOY), ahead=3, batch=3, judged=2, steps=6,
        warmup_steps=2, bfloat16=False, export=tmp_path / "model",
    )  # fmt: skip


# --- tokens ---


def test_tokens_are_whispers_and_spell_everything(hearing: HearingModel, spelling: WordSpelling) -> None:
    for text in (*TEXTS, " Ωμέγα, naïve 100% sure?"):
        ids, _ = spelling.spell([(text, 0.0, 1.0)])
        assert [token - 2 for token in ids] == hearing.tokenizer.encode(text)


def test_what_heads_may_say_is_what_is_said_most(spelling: WordSpelling) -> None:
    texts = [[" you", " hear", " you"], [" you", " hear", " me"]]
    (you, hear), _ = spelling.spell([(" you", 0.0, 1.0), (" hear", 0.0, 1.0)])
    assert spelling.frequent(texts, 3) == sorted([END, you, hear])
    assert len(spelling.frequent(texts)) == 4


def test_heads_are_asked_for_nothing_that_they_may_not_say(grafted: SpeechLlama) -> None:
    model = copy.deepcopy(grafted)
    model.drafted.copy_(torch.arange(0, 80, 2))
    assert model.columns(torch.tensor([[IGNORE, 0, 1, 78, 80]])).tolist() == [[IGNORE, 0, IGNORE, 39, IGNORE]]
    states = torch.randn(2, model.shape.states)
    assert (model.logits(states).shape[1], model.logits(states, 2).shape[1]) == (model.shape.vocabulary, 40)


def test_every_token_has_the_time_of_its_word(spelling: WordSpelling) -> None:
    ids, windows = spelling.spell([(" hear", 0.1, 0.4), (" xylophone", 0.5, 1.2)])
    assert windows[0] == (0.1, 0.4) and windows[-1] == (0.5, 1.2) and len(ids) == len(windows) > 3


# --- the graft ---


@torch.no_grad()
def test_two_layers_attend_as_one_of_whispers_does(grafted: SpeechLlama, whisper: TorchWhisper) -> None:
    """The first layer attends to the text, the second to features of which three are made one."""
    features = whisper.listen(torch.from_numpy(read_manifest_clip()))
    pooled = F.pad(features, (0, 0, 0, -features.shape[1] % 3)).unflatten(1, (-1, 3)).mean(2)
    block, audio = whisper.decoder.blocks[0], grafted.embed(features)
    x = grafted.model.embed_tokens(torch.tensor([[BEGIN, *range(2, 12)]]))
    own, asking = block.attn_ln(x), block.cross_attn_ln(x)
    theirs = (
        block.attn(own, *block.attn.keys_values(own), causal=True),
        block.cross_attn(asking, *block.cross_attn.keys_values(pooled)),
    )
    for index, (attended, most) in enumerate(zip(theirs, (0.1, 0.35), strict=True)):
        layer, count = grafted.model.layers[index], x.shape[1]
        turns = grafted._turns(torch.arange(count)[None] + audio.shape[1])
        normed = layer.input_layernorm(x)
        heard, text = grafted.read_audio(audio, through=False)[index], layer.self_attn.keys_values(normed, turns)
        keys, values = (torch.cat(pair, 2) for pair in zip(heard, text, strict=True))
        seen = torch.ones(1, 1, count, keys.shape[2], dtype=torch.bool)
        seen[..., audio.shape[1] :] = torch.ones(count, count).tril().bool()
        ours = layer.self_attn(normed, keys, values, turns, seen)[0]
        wanted = attended - attended.mean(-1, keepdim=True)  # LayerNorm reads no mean, so none is written
        assert float((ours - wanted).norm() / wanted.norm()) < most


def read_manifest_clip() -> np.ndarray:
    """Read two seconds of the meeting: (1, n)."""
    from engine.audio.source import read_audio

    return read_audio(TOY_MEETING)[None, 8000:40_000]


def test_layers_leave_long_audio_embeddings_as_they_are(grafted: SpeechLlama, whisper: TorchWhisper) -> None:
    audio = grafted.embed(whisper.listen(torch.from_numpy(read_manifest_clip())))
    assert float(audio.square().mean().sqrt().detach()) > 2 * AUDIO_SCALE
    for exact, short in zip(grafted.read_audio(audio), grafted.read_audio(audio, through=False), strict=True):
        assert float(((exact[1] - short[1]).norm() / exact[1].norm()).detach()) < 0.15


# --- lessons ---


def piece(*words: tuple[str, float, float], seconds: float) -> Piece:
    features = np.arange(round(50 * seconds), dtype=np.float16)[:, None].repeat(2, 1)
    return Piece(features, words)


def test_a_piece_is_cut_between_words() -> None:
    whole = piece((" a", 0.2, 0.5), (" b", 0.6, 0.9), (" c", 1.6, 2.0), seconds=2.4)
    middle = cut(whole, 1, 2)
    assert [word for word, _, _ in middle.words] == [" b"]
    assert (float(middle.features[0, 0]), len(middle.features)) == (28.0, 23)  # 0.55 s, amid a gap, to 1.02 s
    assert middle.words[0][1] == pytest.approx(0.6 - 0.56)
    assert len(cut(whole, 0, 3).features) == 120


def test_joined_pieces_keep_the_times_of_their_words() -> None:
    both = joined([piece((" a", 0.2, 0.5), seconds=1.0), piece((" b", 0.1, 0.4), seconds=0.5)])
    assert both.words == ((" a", 0.2, 0.5), (" b", 1.1, 1.4)) and len(both.features) == 75


def test_a_batch_asks_for_what_follows_each_token(spelling: WordSpelling, tmp_path: Path) -> None:
    lessons = SpeechLessons([], EarFeatures(tmp_path), spelling, 0)
    long, short = piece((" you", 0.1, 0.4), (" hear", 0.5, 0.9), seconds=1.0), piece(seconds=0.5)
    batch = lessons.batch([long, short])
    ids, _ = spelling.spell(long.words)
    assert batch.tokens[0].tolist() == [BEGIN, BEGIN, *ids] and batch.targets[0].tolist() == [IGNORE, *ids, END]
    assert batch.targets[1].tolist() == [IGNORE, END, *[IGNORE] * len(ids)] and batch.frames.tolist() == [50, 25]
    assert batch.features.shape == (2, 50, 2) and bool(batch.windows[0, -1].isnan().all())


def test_transcripts_that_are_likely_wrong_are_not_learnt_from(written: Path, hearing: HearingModel) -> None:
    (first, *_) = Transcripts(written, hearing.fingerprint).read()
    assert trustworthy(first)
    assert not trustworthy(replace(first, clip=replace(first.clip, text="nothing of the kind was said here")))
    assert not trustworthy(replace(first, words=((" [MUSIC]", 0.0, 0.5),)))
    assert not trustworthy(replace(first, words=((" so", 0.0, 0.1),) * 40))


def test_features_are_kept_and_their_changes_are_the_same_each_time(
    written: Path, hearing: HearingModel, whisper: TorchWhisper, tmp_path: Path
) -> None:
    clip = Transcripts(written, hearing.fingerprint).read()[0].clip
    plain, changed = Changed(clip, 0), Changed(clip, 1)
    np.testing.assert_array_equal(changed.listen(), Changed(clip, 1).listen())
    assert len(changed.listen()) == pytest.approx(len(plain.listen()) / changed.speed, rel=0.01)
    features = EarFeatures(tmp_path)
    features.make(whisper.hear, [plain, changed], 1)
    assert features.has(plain) and features.has(changed)
    assert len(features.read(plain)) == -(-len(plain.listen()) // 160 // 2)


# --- the run ---


def test_each_head_has_its_weight(options: SpeechLlamaOptions) -> None:
    assert head_weights(replace(options, ahead=6, head_weight=0.2)) == [1.0, 0.2, 0.2, 0.2, 0.1, 0.1]
    with pytest.raises(OptionError, match="ahead"):
        replace(options, ahead=9)


def test_guided_heads_are_to_look_where_a_token_is_said() -> None:
    looks = torch.zeros(1, 2, 10)
    looks[0, 0, 2] = looks[0, 1, 7] = 1.0  # at 0.12 and 0.42 s
    windows = torch.tensor([[[0.1, 0.2], [0.4, 0.5]]])
    assert float(guide_loss([(looks, 1)], windows)) == pytest.approx(0.0, abs=0.01)
    assert float(guide_loss([(looks, 2)], windows)) > 5  # what comes after the first token is said at 0.4 s


def test_the_loss_falls(options: SpeechLlamaOptions) -> None:
    training = SpeechLlamaTraining(options)
    training.hear([one.clip for one in training.teachable()], 2)
    batch = training.next()
    first = float(loss_of(training.model, batch, options).detach())
    for _ in range(6):
        last = training.train_step(batch)
    assert last < first


def test_a_run_exports_what_loads_and_goes_on(options: SpeechLlamaOptions, hearing: HearingModel) -> None:
    train(replace(options, steps=2))
    assert options.export is not None
    loaded = load_speech_llama(options.export)
    assert loaded.heads is not None and loaded.heads.ahead == 3 and loaded.taught_seconds == 16.0
    assert (options.export / "model.safetensors").stat().st_size < 0.9 * (TOY / "model.safetensors").stat().st_size
    log = (options.out / "log.txt").read_text()
    assert "after 6 seen:" in log and "of the words wrong" in log
    again = SpeechLlamaTraining(replace(options, steps=4, resume=True))
    assert (again.step, again.seen, len(again.curve)) == (2, 6, 1)
    # The same states in torch and in MLX.
    samples = read_manifest_clip()[0]
    model = again.averaged_model()
    start, ids = loaded.tokenizer.sot_sequence(), list(range(2, 12))
    with torch.inference_mode():
        embedded = model.embed(again.whisper.listen(torch.from_numpy(samples)[None]))
        heard, counts = model.read_audio(embedded), torch.tensor([embedded.shape[1]])
        states = model.write(heard, counts, torch.tensor([[*start, *ids]]))
    assert start == (BEGIN, BEGIN)
    audio = loaded.model.read_audio(loaded.model.audio(samples))
    ours = loaded.model.write(mx.array([[*start, *ids]]), audio, loaded.model.new_cache())
    np.testing.assert_allclose(np.array(ours[0]), states[0].numpy(), atol=0.15)


def test_speakers_that_are_judged_are_not_learnt_from(
    options: SpeechLlamaOptions, manifests: tuple[Path, Path]
) -> None:
    training = SpeechLlamaTraining(replace(options, judge=manifests[1]))
    assert {clip.speaker for clip in training.judged} == {"Ben"}
    assert {one.clip.speaker for one in training.teachable()} == {"Anna"}


def test_the_command_says_what_it_lacks(
    tmp_path: Path, manifests: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [
        "train",
        "speech-llama",
        "--model",
        str(TOY),
        "--judge",
        str(manifests[1]),
        "--out",
        str(tmp_path / "run"),
    ]
    assert main([*arguments, "--data", str(tmp_path), "--steps", "1"]) == 1
    assert f"{tmp_path} holds no transcripts." in capsys.readouterr().err


def test_recordings_longer_than_the_ear_hears_are_not_judged(
    options: SpeechLlamaOptions, manifests: tuple[Path, Path], tmp_path: Path
) -> None:
    said = json.loads(manifests[1].read_text().splitlines()[0])
    (tmp_path / "judge").write_text("\n".join(json.dumps(said | {"seconds": seconds}) for seconds in (1.0, 30.5)))
    assert [clip.seconds for clip in SpeechLlamaTraining(replace(options, judge=tmp_path / "judge")).judged] == [1.0]
