from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from engine.language.language_model import LanguageModel


@pytest.fixture(scope="session")
def random_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LanguageModel]:
    """Make small random models that were "taught" to translate from English.

    random_model(seed=0, ends=12, **config): every `ends`-th token ends an answer, as random models hardly ever write
    the one that should; `earshot` in `config` is what config.json says of translating.
    """
    from engine.language.language_model import load_language_model
    from tests.language_models import write_language_model

    made: dict[str, LanguageModel] = {}

    def make(seed: int = 0, ends: int = 12, **config: object) -> LanguageModel:
        taught = {"translates_from": ["en"], "translates_to": ["de", "fr"], "translation_instruction": "{target}"}
        config = {"earshot": taught, "eos_token_id": list(range(0, 320, ends))} | config
        key = repr((seed, sorted(config.items())))
        if key not in made:
            folder = write_language_model(tmp_path_factory.mktemp("language-model"), seed=seed, **config)  # type: ignore[arg-type]
            made[key] = load_language_model(folder)
        return made[key]

    return make
