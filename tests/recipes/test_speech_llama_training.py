"""The starter Speech-LLaMA learns repeatably, heads look as far ahead as they should, and the export is faithful."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")
pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from engine.errors import EngineError, OptionError  # noqa: E402
from engine.recipes import speech_llama, torch_training  # noqa: E402
from engine.recipes.speech_llama import SpeechLlamaOptions, Training, guide_loss, head_weights, losses  # noqa: E402
from engine.recipes.speech_llama_export import export, load_ear  # noqa: E402
from engine.recipes.speech_llama_model import SpeechLlama, SpeechLlamaShape  # noqa: E402
from engine.recipes.speech_llama_tokens import (  # noqa: E402
    BEGIN,
    END,
    BytePairTargets,
    learn_byte_pairs,
    targets_ahead,
)
from engine.recipes.speech_llama_trial import forwards_needed, predicted, transcribe, try_out  # noqa: E402
from engine.recipes.starter_evaluation import HeldOutSpeech  # noqa: E402
from engine.recipes.starter_examples import IGNORE, Scene  # noqa: E402
from engine.recipes.starter_model import Encoder, HearingShape  # noqa: E402
from tests.recipes.conftest import SENTENCES  # noqa: E402

EAR = HearingShape(vocabulary=1, phonemes=1, states=64, heads=2, layers=2)
GUIDED = ((0, 0, 1), (0, 1, 2))
NEVER = float("nan")


@pytest.fixture(scope="module")
def targets() -> BytePairTargets:
    return BytePairTargets(learn_byte_pairs(SENTENCES, 300))


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model with which a step takes a moment."""

    def small(vocabulary: int, ahead: int) -> SpeechLlamaShape:
        return SpeechLlamaShape(vocabulary, states=32, layers=2, heads=4, inner=64, ahead=ahead, guided=GUIDED, ear=EAR)

    monkeypatch.setattr(speech_llama, "SpeechLlamaShape", small)


@pytest.fixture(scope="module")
def ear(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an encoder in mlx-whisper's layout."""
    from safetensors.numpy import save_file

    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("ear")
    weights = {name: tensor.numpy() for name, tensor in Encoder(EAR).state_dict().items()}
    layout = {
        f"encoder.{name}": np.ascontiguousarray(array.transpose(0, 2, 1) if array.ndim == 3 else array)
        for name, array in weights.items()
    }
    save_file(layout, folder / "model.safetensors")
    return folder


@pytest.fixture
def options(data: Path, corpus: Path, ear: Path, tmp_path: Path) -> SpeechLlamaOptions:
    (tmp_path / "corpus").symlink_to(corpus / "corpus")
    return SpeechLlamaOptions(
        data=data,
        out=tmp_path,
        ear=ear,
        steps=6,
        ahead=4,
        batch_seconds=6.0,
        pool_examples=12,
        bfloat16=False,
        warmup_steps=2,
        open_ear_at=0.4,
    )


def take_steps(training: Training, count: int) -> None:
    for _ in range(count):
        training.train_step(training.next())


def random_model(targets: BytePairTargets) -> SpeechLlama:
    torch.manual_seed(3)
    shape = speech_llama.SpeechLlamaShape(targets.tokenizer.get_vocab_size(), ahead=4)
    model = SpeechLlama(shape)
    with torch.no_grad():
        model.latent += 0.1 * torch.randn_like(model.latent)
    return model.eval()


def test_a_resumed_run_repeats_the_straight_one(options: SpeechLlamaOptions) -> None:
    straight = Training(options)
    take_steps(straight, 4)
    broken = Training(options)
    take_steps(broken, 2)
    broken.save()
    resumed = Training(replace(options, resume=True))
    take_steps(resumed, 2)
    assert (resumed.step, resumed.seen) == (straight.step, straight.seen)
    assert straight.step == 4
    for name, parameter in straight.model.named_parameters():
        assert torch.equal(parameter, dict(resumed.model.named_parameters())[name]), name
        assert torch.equal(straight.average[name], resumed.average[name]), name


def test_the_ear_is_held_at_first_and_its_upper_half_learns_later(options: SpeechLlamaOptions) -> None:
    training = Training(options)  # it opens at the third of six steps
    begun = {name: parameter.clone() for name, parameter in training.model.encoder.state_dict().items()}
    take_steps(training, 2)
    assert all(torch.equal(tensor, begun[name]) for name, tensor in training.model.encoder.state_dict().items())
    take_steps(training, 2)
    learnt = {
        name for name, tensor in training.model.encoder.state_dict().items() if not torch.equal(tensor, begun[name])
    }
    assert learnt
    assert all(name.startswith(("blocks.1.", "ln_post.")) for name in learnt)


def test_training_lowers_the_loss_of_every_head(options: SpeechLlamaOptions) -> None:
    training = Training(replace(options, steps=60, workers=1))
    batch = training.next()
    first = training.train_step(batch).heads
    for _ in range(15):
        last = training.train_step(batch).heads
    assert len(first) == 4
    assert all(float(after) < 0.9 * float(before) for before, after in zip(first, last, strict=True))


def test_each_head_is_to_predict_the_token_that_many_places_on(targets: BytePairTargets) -> None:
    rows = np.array([[5, 6, 7, END], [8, END, IGNORE, IGNORE]])
    assert targets_ahead(rows, 1).tolist() == rows.tolist()
    assert targets_ahead(rows, 2).tolist() == [[6, 7, END, IGNORE], [END, IGNORE, IGNORE, IGNORE]]
    assert targets_ahead(rows, 4).tolist() == [[END, IGNORE, IGNORE, IGNORE], [IGNORE] * 4]
    assert targets_ahead(rows, 5).tolist() == [[IGNORE] * 4] * 2


def test_the_heads_of_the_tokens_after_the_next_count_less(options: SpeechLlamaOptions) -> None:
    assert head_weights(replace(options, ahead=6)) == [1.0, 0.2, 0.2, 0.2, 0.1, 0.1]
    parts = speech_llama.Losses([torch.tensor(1.0), torch.tensor(10.0)], torch.tensor(2.0))
    assert float(parts.total([1.0, 0.2], 0.0)) == pytest.approx(1.0 + 2.0 + 0.5 * 2.0)
    assert float(parts.total([1.0, 0.2], 1.0)) == pytest.approx(1.0 + 2.0 + 0.1 * 2.0)


def test_the_losses_are_those_of_each_row_alone(options: SpeechLlamaOptions) -> None:
    training = Training(options)
    training.corpus.refresh()
    seeds = max(training.composer.pool(0, 0.9, 12), key=len)
    model = training.model
    batch = training.composer.batch(seeds[:2], 0.9)
    together = losses(model, batch, bfloat16=False)
    logprobs, counts = np.zeros(4), np.zeros(4)
    for row in range(len(batch.frames)):
        frames = int(batch.frames[row])
        audio, audio_counts = model.listen(
            batch.mel[row : row + 1, : frames + frames % 2],
            batch.frames[row : row + 1],
            torch.ones(1, 1, 1, (frames + 1) // 2, dtype=torch.bool),
        )
        states, _ = model.write(audio, audio_counts, batch.tokens[row : row + 1])
        wanted = batch.targets[row].tolist()
        for ahead in range(1, 5):
            for place in range(len(wanted) - ahead + 1):
                target = wanted[place + ahead - 1]
                if target != IGNORE:
                    logprobs[ahead - 1] -= float(model.logits(states[0, place], ahead).log_softmax(-1)[target].detach())
                    counts[ahead - 1] += 1
    assert [float(part.detach()) for part in together.heads] == pytest.approx((logprobs / counts).tolist(), rel=1e-3)


def test_attention_where_the_coming_token_is_said_costs_nothing() -> None:
    shape = SpeechLlamaShape(8, guided=((0, 0, 1), (0, 1, 2)))
    windows = torch.tensor([[[0.6, 0.9], [1.2, 1.5], [NEVER, NEVER]]])
    seen = torch.zeros(1, 2, 3, 40)
    seen[0, 0, 0, 12] = seen[0, 0, 1, 22] = 1.0  # the first head: at the token that is written, 0.72 s and 1.32 s
    seen[0, 1, 0, 22] = 1.0  # the second: at the one after it; what comes after the last is known to none
    assert float(guide_loss(seen, windows, shape)) == pytest.approx(0.0, abs=1e-3)
    seen[0, 1, 0] = seen[0, 0, 0]  # now the second looks where the first does
    assert float(guide_loss(seen, windows, shape)) == pytest.approx(-math.log(1e-4) / 2, rel=1e-3)
    half = seen.clone()
    half[0, 1, 0] = 0.0
    half[0, 1, 0, [22, 30]] = 0.5
    assert float(guide_loss(half, windows, shape)) == pytest.approx(math.log(2) / 2, rel=1e-2)


def test_a_batch_in_which_no_times_are_known_has_no_guide() -> None:
    shape = SpeechLlamaShape(8, guided=((0, 0, 1),))
    windows = torch.full((1, 2, 2), NEVER)
    assert float(guide_loss(torch.rand(1, 1, 2, 10), windows, shape)) == 0.0


def test_every_token_has_the_time_of_its_word(targets: BytePairTargets) -> None:
    words, times = ["Good", "morning,", "everyone."], np.array([[0.1, 0.4], [0.5, 0.9], [1.0, 1.6]], np.float32)
    scene = Scene(np.zeros(32_000, np.float32), [words], [times])
    example = targets.example(scene)
    tokens, said = example.tokens.tolist(), example.targets.tolist()
    assert tokens[0] == BEGIN and said[-1] == END
    assert tokens[1:] == said[:-1] == targets.tokenizer.encode(" Good morning, everyone.").ids
    spelt = {0.1: "", 0.5: "", 1.0: ""}
    for token, (start, _) in zip(said[:-1], example.windows[:-1].tolist(), strict=True):
        spelt[round(start, 1)] += targets.tokenizer.decode([token])
    assert [word.strip() for word in spelt.values()] == words
    assert example.windows[-1].tolist() == pytest.approx(
        [1.6, 2.0]
    )  # the end is said between the last word and the end
    assert targets.text(said) == "Good morning, everyone."


def test_words_without_times_have_no_windows(targets: BytePairTargets) -> None:
    example = targets.example(
        Scene(np.zeros(16_000, np.float32), [["Good", "morning"]], [np.zeros((0, 2), np.float32)])
    )
    assert np.isnan(example.windows).all()
    assert len(example.windows) == len(example.targets) == len(example.tokens)


def test_bytes_spell_what_was_never_learnt(targets: BytePairTargets) -> None:
    text = "Œuvre, naïve — 東京 🙂"
    assert targets.tokenizer.decode(targets.tokenizer.encode(" " + text).ids).strip() == text
    assert targets.covers(text)
    assert [targets.tokenizer.token_to_id(name) for name in ("<|end|>", "<|begin|>")] == [END, BEGIN]


def test_the_exported_folder_holds_the_trained_weights(targets: BytePairTargets, tmp_path: Path) -> None:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    model = random_model(targets)
    export(model, targets.tokenizer, tmp_path / "made")
    stored = load_file(tmp_path / "made" / "model.safetensors")
    state = model.state_dict()
    latent = state.pop("latent")
    state |= {f"heads.latent.{head + 2}.weight": matrix for head, matrix in enumerate(latent)}
    assert stored.keys() == state.keys()
    for name, tensor in state.items():
        expected = tensor.permute(0, 2, 1) if tensor.ndim == 3 else tensor
        assert stored[name].dtype == np.float16
        np.testing.assert_allclose(stored[name].astype(np.float32), expected.numpy(), atol=2e-3, rtol=1e-3)
    config = json.loads((tmp_path / "made" / "config.json").read_text(encoding="utf-8"))
    assert config["heads"] == {"kind": "latent", "ahead": 4}
    assert config["alignment_heads"] == [[0, 0]]
    assert config["text_config"]["vocab_size"] == len(state["model.embed_tokens.weight"])
    assert (config["text_config"]["bos_token_id"], config["text_config"]["eos_token_id"]) == (BEGIN, END)
    again = Tokenizer.from_file(str(tmp_path / "made" / "tokenizer.json"))
    assert again.to_str() == targets.tokenizer.to_str()


def test_the_engine_loads_what_is_exported_and_hears_the_same(targets: BytePairTargets, tmp_path: Path) -> None:
    mx = pytest.importorskip("mlx.core")
    from engine.models.speech_llama import load_speech_llama

    model = random_model(targets)
    export(model, targets.tokenizer, tmp_path / "made")
    loaded = load_speech_llama(str(tmp_path / "made"))
    mel = torch.randn(151, 80)
    tokens = torch.tensor([[BEGIN, 9, 8, 7]])
    with torch.inference_mode():
        audio, counts = model.listen(mel[None, :], torch.tensor([151]), torch.ones(1, 1, 1, 76, dtype=torch.bool))
        states, _ = model.write(audio, counts, tokens)
        expected = model.logits(states)[0].numpy()
    theirs = loaded.model
    heard = theirs.audio(mx.array(mel.numpy()))
    written = theirs.write(mx.array(tokens.numpy()), theirs.read_audio(heard), theirs.new_cache())
    got = np.array(theirs.logits(written))[0]
    np.testing.assert_allclose(got, expected, atol=0.05)


def test_an_ear_of_another_shape_is_refused(ear: Path) -> None:
    with pytest.raises(EngineError, match=r"no encoder of the starter's shape: encoder\.conv1"):
        load_ear(Encoder(replace(EAR, states=32)), ear)
    encoder = Encoder(EAR)
    load_ear(encoder, ear)
    torch.manual_seed(0)
    assert all(torch.equal(tensor, encoder.state_dict()[name]) for name, tensor in Encoder(EAR).state_dict().items())


def test_speech_in_a_batch_is_written_as_it_is_alone(targets: BytePairTargets) -> None:
    model = random_model(targets)
    mels = [torch.randn(frames, 80) for frames in (61, 140, 203)]
    together, states = transcribe(model, mels)
    for row, mel in enumerate(mels):
        ids = together[row]
        (alone,), own = transcribe(model, [mel])
        count = min(len(alone), len(ids))  # the longest decides how many tokens there may be
        assert alone[:count] == ids[:count]
        torch.testing.assert_close(own[0, :count], states[row, :count], atol=1e-4, rtol=1e-3)


def test_heads_that_are_sure_save_forwards() -> None:
    rows = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1], [1, 1, 0, 0]], dtype=torch.bool)
    assert forwards_needed(rows) == 2  # three tokens at once, then what is left
    assert forwards_needed(torch.eye(5, 4, dtype=torch.bool)) == 5
    assert forwards_needed(torch.zeros(0, 4, dtype=torch.bool)) == 0


def test_a_head_is_believed_only_where_those_before_it_are(targets: BytePairTargets) -> None:
    model = random_model(targets)
    ids = [5, 6, 7, END]
    states = torch.randn(4, 32)
    surely, rightly = predicted(model, states, ids, threshold=1.0)
    assert surely[:, 0].all()  # the next token is taken however unsure the model is
    assert surely.tolist()[0] == [True, False, False, False]
    assert surely.tolist()[3] == [True] * 4  # behind the end there is nothing to be unsure of
    assert rightly.tolist()[3][1:] == [bool(rightly[3, 0])] * 3
    assert predicted(model, states, ids, threshold=0.0)[0].all()


def test_a_trial_counts_errors_and_forwards(targets: BytePairTargets) -> None:
    model = random_model(targets)
    speech = HeldOutSpeech((torch.randn(60, 80), torch.randn(90, 80)), ("Good morning.", "Thank you."))
    result = try_out(model, speech, targets, threshold=1.0)
    assert result.calls == 1.0  # an unsure model needs one for every token
    assert result.wer > 0.0
    assert try_out(model, speech, targets, threshold=0.0).calls < 0.5
    assert set(result.as_dict()) == {"wer", "calls", "sure", "right"}


def test_a_whole_run_measures_saves_and_exports(
    options: SpeechLlamaOptions, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_training, "start_making", lambda data, corpus: _NoMaker())
    monkeypatch.setattr(torch_training, "REPORT_STEPS", 1)
    monkeypatch.setattr(speech_llama, "HELD_OUT", 2)
    speech_llama.train(replace(options, steps=2, export=options.out / "made"))
    said = capsys.readouterr().out
    assert "step 2 seen" in said and "heads" in said and "guide" in said and "WER" in said
    assert said == "".join(line[9:] + "\n" for line in (options.out / "log.txt").read_text().splitlines())
    assert {path.name for path in (options.out / "made").iterdir()} == {
        "config.json", "model.safetensors", "tokenizer.json",
    }  # fmt: skip
    saved = torch.load(options.out / "checkpoint.pt", weights_only=True)
    assert saved["counters"][0] == 2
    assert len(saved["curve"]) == 1


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"ahead": 1}, "ahead must be between 2 and 8, not 1"),
        ({"ahead": 9}, "ahead must be between 2 and 8, not 9"),
        ({"minutes": 0}, "minutes"),
        ({"steps": 0}, "steps"),
    ],
)
def test_bad_options_are_refused(tmp_path: Path, changes: dict[str, float], complaint: str) -> None:
    with pytest.raises(OptionError, match=complaint):
        SpeechLlamaOptions(data=tmp_path, out=tmp_path, **changes)  # type: ignore[arg-type]


class _NoMaker:
    """The corpus is there already."""

    terminate: Callable[[], None] = staticmethod(lambda: None)
