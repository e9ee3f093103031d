"""The starter language model: what it learns from, that it learns repeatably, and that it is exported faithfully."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np
import pytest

from engine.errors import EngineError
from lab.recipes.sentences.pairs import (
    LANGUAGES,
    Conversation,
    Pair,
    Turn,
    cut_short,
    held_out_pairs,
    read_pairs,
    training_pairs,
)
from lab.recipes.sentences.text import is_held_out
from lab.recipes.sentences.translation_lessons import Draw, conversations

NOUNS = {"cats": "Katzen", "dogs": "Hunde", "birds": "Vögel", "horses": "Pferde", "fishes": "Fische", "wolves": "Wölfe"}
VERBS = {"like": "mögen", "find": "finden", "want": "wollen", "need": "brauchen", "watch": "beobachten"}
LETTERS = "bdfgklmnprst"
PAIRS = [Pair(f"We {v} {n}.", f"Wir {VERBS[v]} {NOUNS[n]}.") for v in VERBS for n in NOUNS]


@pytest.fixture(scope="module")
def pairs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a few dozen pairs of every language."""
    root = tmp_path_factory.mktemp("pairs")
    folder = root / "text" / "parallel"
    folder.mkdir(parents=True)
    for name, _ in LANGUAGES.values():
        with gzip.open(folder / f"tatoeba-eng-{name}.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"{pair.source}\t{pair.target}\n" for pair in PAIRS)
            lines.writelines(f"They {v} {a}{b}.\tEgal\u202f!\t#1\n" for v in VERBS for a in LETTERS for b in LETTERS)
    return root


def test_held_out_sentences_are_never_trained_on(pairs_folder: Path) -> None:
    held_out = {source for source, _ in held_out_pairs(pairs_folder, "de")}
    trained = {pair.source for pair in training_pairs(pairs_folder, "de")}
    everything = {pair.source for pair in read_pairs(pairs_folder, "de")}
    assert held_out
    assert all(is_held_out(source) for source in held_out)
    assert not held_out & trained
    assert held_out | trained == everything


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"tatoeba-eng-deu\.tsv\.gz is missing"):
        training_pairs(tmp_path, "de")


def test_the_space_before_a_french_mark_is_written_in_one_way(pairs_folder: Path) -> None:
    assert read_pairs(pairs_folder, "fr")[-1].target == "Egal\u00a0!"


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.5, 0.99])
def test_the_beginning_of_a_sentence_has_the_beginning_of_its_translation(share: float) -> None:
    pair = Pair("one two three four five six", "eins zwei drei vier")
    cut = cut_short(pair, share)
    assert cut.source
    assert cut.target
    assert pair.source.startswith(cut.source)
    assert pair.target.startswith(cut.target)


def test_a_sentence_cut_at_its_end_stays_whole() -> None:
    assert cut_short(PAIRS[0], 1.0) == PAIRS[0]


def test_a_conversation_begins_with_the_name_of_its_language_alone() -> None:
    made = islice(conversations({"fr": Draw.evenly(PAIRS), "es": Draw.evenly(PAIRS)}, Random(1)), 200)
    assert {each.system for each in made} == {"French", "Spanish"}


class TestTraining:
    """The parts that need torch."""

    @pytest.fixture(autouse=True)
    def needs_torch(self) -> None:
        pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")

    def options(self, data: Path, out: Path):  # type: ignore[no-untyped-def]
        from lab.recipes.language.train import StarterLanguageOptions

        return StarterLanguageOptions(
            data=data,
            out=out,
            steps=6,
            vocabulary=300,
            states=32,
            layers=2,
            heads=2,
            key_heads=1,
            row_tokens=64,
            rows=4,
            threads=1,
            compiled=False,
            bfloat16=False,
            warmup_steps=2,
        )

    def test_only_answers_and_their_ends_are_learnt(self) -> None:
        from lab.recipes.language.rows import IGNORE, Rows, make_tokenizer

        tokenizer = make_tokenizer((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
        conversation = Conversation("German", (Turn("We like cats.", "Wir mögen Katzen."), Turn("We", "Wir")))
        tokens, learnt = Rows(tokenizer, 64).encode(conversation)
        text = tokenizer.decode([t for t, wanted in zip(tokens, learnt, strict=True) if wanted], False)
        assert text == "Wir mögen Katzen.<|end|>Wir<|end|>"
        row, targets, weights = next(Rows(tokenizer, 16).rows(iter([conversation] * 9)))
        assert row == tokens[:16]
        assert targets == [t if wanted else IGNORE for t, wanted in zip(tokens, learnt, strict=True)][1:17]
        assert weights == learnt[1:17]

    def test_what_is_given_of_a_turn_is_not_learnt_and_its_end_counts_more(self) -> None:
        from lab.recipes.language.rows import Rows, make_tokenizer

        tokenizer = make_tokenizer((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
        turn = Turn("We like cats. Wir", "It is no.", True, len("We like cats."), len("It is"), 5.0)
        tokens, weights = Rows(tokenizer, 64).encode(Conversation("", (turn,)))
        assert tokenizer.id_to_token(tokens[0]) == "<|user|>"  # no system message, and no place for it
        for weight, text in ((1.0, " Wir<|end|>"), (5.0, " no.<|end|>")):
            counting = [token for token, each in zip(tokens, weights, strict=True) if each == weight]
            assert tokenizer.decode(counting, False) == text

    def test_a_turn_that_is_learnt_for_its_end_is_never_cut_off(self) -> None:
        from lab.recipes.language.rows import Rows, make_tokenizer

        tokenizer = make_tokenizer((text for pair in PAIRS for text in (pair.source, pair.target)), 300)
        judged = Conversation("", (Turn("We like birds.", "It is no.", assistant_given=5, weight=5.0),))
        plain = Conversation("German", (Turn("We like dogs.", "Wir mögen Hunde."),))
        made = [plain if place % 3 else judged for place in range(60)]
        rows = Rows(tokenizer, 40)
        whole = rows.encode(judged)[1].count(5.0)
        for tokens, _, weights in islice(rows.rows(iter(made)), 12):
            assert len(tokens) == len(weights) == 40
            assert weights.count(5.0) % whole == 0

    def test_the_loss_counts_tokens_by_their_weights(self, pairs_folder: Path, tmp_path: Path) -> None:
        import torch

        from lab.recipes.language.train import LanguageTraining, loss_of

        training = LanguageTraining(self.options(pairs_folder, tmp_path))
        tokens, targets, weights = training.rows.batch(training.lessons.conversations(Random(1)), 8)
        model = training.model

        def loss(each: torch.Tensor) -> float:
            return float(loss_of(model.model, model.lm_head, tokens, targets, each, False).detach())

        first = weights.clone()
        first[4:] = 0
        second = weights - first
        counts = first.sum(), second.sum()
        mean = (loss(first) * counts[0] + loss(second) * counts[1]) / sum(counts)
        assert loss(weights) == pytest.approx(float(mean), rel=1e-4)
        assert loss(3 * weights) == pytest.approx(loss(weights), rel=1e-4)

    def test_a_resumed_run_repeats_the_straight_one(self, pairs_folder: Path, tmp_path: Path) -> None:
        import torch

        from lab.recipes.language.train import LanguageTraining

        options = self.options(pairs_folder, tmp_path)
        straight, broken = LanguageTraining(options), LanguageTraining(options)
        losses = [straight.train_step() for _ in range(4)]
        again = [broken.train_step() for _ in range(2)]
        broken.save()
        resumed = LanguageTraining(replace(options, resume=True))
        again += [resumed.train_step() for _ in range(2)]
        assert again == losses
        assert resumed.step == 4
        for name, average in straight.average.items():
            assert torch.equal(average, resumed.average[name]), name

    def test_a_checkpoint_of_another_shape_is_refused(self, pairs_folder: Path, tmp_path: Path) -> None:
        import torch

        from engine.errors import ModelError
        from lab.recipes.language.train import LanguageTraining

        torch.save({"model": {}}, tmp_path / "checkpoint.pt")
        with pytest.raises(ModelError, match="earlier Earshot"):
            LanguageTraining(replace(self.options(pairs_folder, tmp_path), resume=True))

    def test_the_loss_falls(self, pairs_folder: Path, tmp_path: Path) -> None:
        from lab.recipes.language.train import LanguageTraining

        training = LanguageTraining(replace(self.options(pairs_folder, tmp_path), steps=60, peak_rate=1e-2))
        losses = [training.train_step() for _ in range(40)]
        assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:5])

    def test_the_exported_model_computes_the_same_in_mlx(self, pairs_folder: Path, tmp_path: Path) -> None:
        import torch

        from engine.language.language_model import Message, load_language_model
        from lab.recipes.language.train import LanguageTraining, train

        folder = tmp_path / "model"
        options = replace(self.options(pairs_folder, tmp_path), export=folder)
        train(options)
        loaded = load_language_model(folder)
        assert loaded.targets == tuple(LANGUAGES)
        assert loaded.translation_instruction == "{target}"
        assert (loaded.context_tokens, loaded.context_sentences) == (192, 0)
        prompt = loaded.chat([Message("system", "German"), Message("user", "We like cats.")])
        trained = LanguageTraining(replace(options, resume=True))
        conversation = Conversation("German", (Turn("We like cats.", ""),))
        assert prompt == trained.rows.encode(conversation)[0][:-1]  # up to where the answer would begin
        with torch.no_grad():
            expected = trained.averaged_model().half().float()(torch.tensor([prompt])).logits[0].numpy()
        logits = np.array(loaded.logits(prompt, loaded.new_cache(), len(prompt)))
        np.testing.assert_allclose(logits, expected, atol=2e-3)

    def test_the_curve_is_kept_beside_the_model(self, pairs_folder: Path, tmp_path: Path) -> None:
        from lab.recipes.language.train import train

        train(replace(self.options(pairs_folder, tmp_path), export=tmp_path / "model"))
        curve = json.loads((tmp_path / "model" / "curve.json").read_text(encoding="utf-8"))
        assert curve[-1]["step"] == 6
        assert not list(tmp_path.glob("model-*"))
        assert (tmp_path / "log.txt").read_text(encoding="utf-8").count("held-out") >= 1

    def test_a_model_with_more_layers_begins_by_saying_what_the_smaller_one_says(
        self, pairs_folder: Path, tmp_path: Path
    ) -> None:
        import torch

        from engine.errors import OptionError
        from lab.recipes.language.train import LanguageTraining, train

        options = replace(self.options(pairs_folder, tmp_path), export=tmp_path / "model")
        train(options)
        more = replace(options, out=tmp_path / "more", start=tmp_path / "model", layers=2 * options.layers + 1)
        grown, small = (
            LanguageTraining(more).averaged_model(),
            LanguageTraining(replace(more, layers=options.layers)).averaged_model(),
        )
        tokens = torch.arange(12)[None]
        with torch.no_grad():
            assert torch.allclose(grown(tokens).logits, small(tokens).logits, atol=1e-4)
        assert len(grown.model.layers) == more.layers
        with pytest.raises(OptionError, match="layers must be at least"):
            LanguageTraining(replace(more, layers=options.layers - 1))
