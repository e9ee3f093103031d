from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # these import MLX, which the backend prepares first
    from engine.language.language_model import LanguageModel
    from tests.answer.scripted_model import ScriptedModel

TAUGHT = {"assistant_instruction": "Earshot"}


@pytest.fixture(scope="session")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LanguageModel]:
    """Make small random models that were "taught" to answer.

    random_model(seed=0, ends=23, **config): every `ends`-th token ends an answer, as random models hardly ever write
    the one that should; 0 for models that never end.
    """
    from engine.language.language_model import load_language_model
    from tests.language_models import write_language_model

    made: dict[str, LanguageModel] = {}

    def make(seed: int = 0, ends: int = 23, **config: object) -> LanguageModel:
        config = {"earshot": TAUGHT} | config
        key = repr((seed, ends, sorted(config.items())))
        if key not in made:
            folder = write_language_model(tmp_path_factory.mktemp("language-model"), seed=seed, **config)  # type: ignore[arg-type]
            made[key] = load_language_model(folder)
            made[key].end_tokens = frozenset(range(0, 320, ends)) if ends else frozenset()
        return made[key]

    return make


@pytest.fixture(scope="session")
def scripted_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ScriptedModel]:
    """Make models that answer as a function says: scripted_model(reply, **what ScriptedModel takes)."""
    from tests.answer.scripted_model import ScriptedModel
    from tests.language_models import write_language_model

    folder = write_language_model(tmp_path_factory.mktemp("scripted"), earshot=TAUGHT)
    return lambda *args, **changes: ScriptedModel(folder, *args, **changes)
