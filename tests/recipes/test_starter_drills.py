"""Sentences that drill rare words: what they are made of, and that a run draws them when it should."""

from __future__ import annotations

import random
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("espeakng_loader", reason="the recipes speak with espeak-ng")

from engine.recipes import starter_speech
from engine.recipes.dialogues import read_dialogues
from engine.recipes.starter_drills import DRILLS, Drills, assistant_questions, worth
from engine.recipes.starter_examples import read_shard
from engine.recipes.starter_text import is_held_out, is_plain
from tests.recipes.conftest import SENTENCES

COMMON = [f"They often follow the {word} over there." for word in ("river", "river", "Danube")]


def words(sentence: str) -> list[str]:
    return re.findall(r"[a-z]+(?:'[a-z]+)*", sentence.lower())


def test_long_words_make_way_for_others_of_the_same_texts() -> None:
    drills = Drills.of(SENTENCES)
    known = {word for sentence in SENTENCES for word in words(sentence)}
    made = list(islice(drills.made("a"), 200))
    assert all(set(words(sentence)) <= known for sentence in made)
    assert not set(made) & set(SENTENCES)
    assert all(sentence[0].isupper() and sentence[-1] in ".?!" for sentence in made)
    shapes = {tuple(w if len(w) < 4 else "" for w in words(sentence)) for sentence in SENTENCES}
    assert all(tuple(w if len(w) < 4 else "" for w in words(sentence)) in shapes for sentence in made)


def test_the_same_seed_makes_the_same_sentences() -> None:
    drills = Drills.of(SENTENCES)
    assert list(islice(drills.made("a"), 30)) == list(islice(drills.made("a"), 30))
    assert list(islice(drills.made("a"), 30)) != list(islice(drills.made("b"), 30))


def test_rarer_words_are_drilled_more_than_common_ones_and_more_than_the_rarest() -> None:
    assert worth(1) < worth(5) < worth(20) == worth(50) == 1.0
    assert worth(50) > worth(200) > worth(20_000)
    often = [f"Say {word} again." for word in ["market"] * 3000 + ["saddle"] * 30]
    many = "Four small words do."
    drawn = Counter(word for made in islice(Drills.of([*often, many]).made("a"), 400) for word in words(made))
    assert drawn["saddle"] > 3 * drawn["market"]


def test_names_keep_their_capital_and_first_words_lose_theirs() -> None:
    drills = Drills.of([*COMMON, "Rivers are wide here.", "I'm over there with them."])
    assert "Danube" in drills.words
    assert "rivers" in drills.words
    assert {"river", "they"} <= set(drills.words)
    assert not any("'" in word for word in drills.words)


def test_held_out_sentences_are_not_made_by_chance() -> None:
    sentences = [f"Bring the {word} to the {other}." for word in ("horse", "goose") for other in ("farm", "house")]
    made = list(islice(Drills.of([*sentences, *SENTENCES]).made("a"), 3000))
    assert not any(map(is_held_out, made))
    assert all(map(is_plain, made))


def test_the_assistant_s_questions_are_said_but_none_that_tests_it_or_the_hearing() -> None:
    questions = assistant_questions()
    dialogues = read_dialogues()
    tested = {way for intent in (*dialogues.intents, *dialogues.rows) for way in (*intent.held_out, *intent.later)}
    assert len(questions) > 10_000
    assert not set(questions) & tested
    assert not any(map(is_held_out, questions))
    assert all(map(is_plain, questions))
    assert any("captions" in question for question in questions)


@pytest.fixture(scope="module")
def shard(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small shard of drills."""
    folder = tmp_path_factory.mktemp("drills")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(starter_speech, "SHARD_SENTENCES", 20)
        starter_speech.synthesise_drills(data, folder, 1)
    (made,) = folder.glob("*.jsonl")
    return made


def test_drills_are_spoken_into_shards_of_their_own_and_kept(data: Path, shard: Path) -> None:
    assert shard.name.startswith(DRILLS)
    spoken = read_shard(shard)
    assert len(spoken) == 20
    assert all(len(utterance.words) and utterance.count for utterance in spoken)
    before = shard.read_bytes()
    starter_speech.synthesise_drills(data, shard.parent, 1)
    assert shard.read_bytes() == before


def test_questions_are_spoken_in_shards_of_drills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter_speech, "SHARD_SENTENCES", 3)
    monkeypatch.setattr(starter_speech, "assistant_questions", lambda: assistant_questions()[:5])
    starter_speech.synthesise_questions(tmp_path)
    shards = sorted(tmp_path.glob(f"{DRILLS}*.jsonl"))
    assert [utterance.text for file in shards for utterance in read_shard(file)] == assistant_questions()[:5]


def test_a_stage_draws_its_share_of_drills(corpus: Path, shard: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the starter recipes train with torch, a development-only dependency")
    from engine.recipes.starter_batches import Corpus, Stage, plan_example

    for file in (*(corpus / "corpus").iterdir(), *shard.parent.iterdir()):
        (tmp_path / file.name).symlink_to(file)
    learner = Corpus(tmp_path, SpellsAll())
    learner.refresh()
    for share in (0.0, 0.4):
        stage = Stage(1.0, 1, plain=1.0, drilled=share)
        plans = [plan_example(learner, stage, random.Random(seed)) for seed in range(300)]
        drilled = sum(plan.utterances[0].file.stem.startswith(DRILLS) for plan in plans) / len(plans)
        assert drilled == pytest.approx(share, abs=0.1 * bool(share))


class SpellsAll:
    """Knows every word; examples are only planned here."""

    def covers(self, text: str) -> bool:
        return True

    def example(self, *_: Any) -> Any:
        raise AssertionError("no example is made here")
