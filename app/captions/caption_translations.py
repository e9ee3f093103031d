"""How the captions of a transcript are translated, and which of them still wait for it."""

from __future__ import annotations

from dataclasses import replace

from app.engine_link.engine_client import EngineClient
from app.transcript.caption_model import CaptionModel
from app.transcript.timeline import Place
from engine.events import Caption, Translation
from engine.process.messages import TranslationChoice


class CaptionTranslations:
    """Takes translations as they come into the transcript, and asks for those that would not come by themselves.

    Attributes:
        choice: what captions are translated with; None where they are not.
    """

    def __init__(self, client: EngineClient, captions: CaptionModel, choice: TranslationChoice | None) -> None:
        self.choice = choice
        self._client = client
        self._captions = captions
        self._first = 0  # id of the first caption that is to have a translation
        self._complete: set[int] = set()  # ids from there on whose translation will not change any more

    def expect(self) -> None:
        """From the caption on that is being spoken, or else the next one, there are to be translations."""
        still_open = (each.id for each in self._captions.captions if not each.final)
        self._first = min(still_open, default=self._captions.next_id)
        self._complete.clear()

    def change(self, choice: TranslationChoice | None) -> None:
        """Translate otherwise from the caption that is being spoken on, and those that wait; or no longer."""
        waiting = [each.id for each in self.waiting()]
        self.choice = choice
        self.expect()
        self._first = min([self._first, *waiting])
        if choice is None:
            self._captions.drop_open_translations()  # half a sentence, for which nothing more will come

    def take(self, translation: Translation, place: Place) -> Translation | None:
        """Put a session's translation into the transcript and give it with its id there.

        None where it was under way while translation was turned off or changed.
        """
        if self.choice is None or translation.language != self.choice.options.target:
            return None
        placed = place.of_translation(translation)
        if placed.final:
            self._complete.add(placed.id)
            while self._first in self._complete:  # so that what is remembered does not grow with the transcript
                self._complete.remove(self._first)
                self._first += 1
        self._captions.translate(placed)
        return placed

    def waiting(self) -> tuple[Caption, ...]:
        """Captions that are final, or would be if the recording ended here, and whose translation is not."""
        if self.choice is None:
            return ()
        kept = (each for each in self._captions.final_captions() if each.id >= self._first)
        return tuple(each for each in kept if each.id not in self._complete)

    def ask_for_the_rest(self, place: Place) -> None:
        """Have the final captions translated of which the session that begins there will say nothing by itself."""
        still_open = {each.id for each in self._captions.captions if not each.final}
        left = [each for each in self.waiting() if each.id not in still_open]
        if left:
            self._client.translate_also(replace(each, id=each.id - place.first_id) for each in left)
