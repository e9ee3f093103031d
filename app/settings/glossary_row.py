"""A row for terms and their translations, one per line."""

from __future__ import annotations

from typing import Any

from app.preferences.glossary import parse_glossary
from app.preferences.settings import Settings
from app.settings.lines_row import LinesRow


class GlossaryRow(LinesRow):
    """A field of lines such as "term = translation"."""

    def __init__(self, settings: Settings, path: str, name: str, explanation: str) -> None:
        super().__init__(settings, path, name, explanation, self.tr("neural network = neuronales Netz"))

    def parse(self, text: str) -> Any:
        return parse_glossary(text)

    def lines(self, value: Any) -> list[str]:
        return [f"{term} = {translation}" for term, translation in value]
