"""How the captions of a transcript are translated, and which of them still wait for it."""

from __future__ import annotations

from app.engine_link.engine_client import EngineClient
from app.transcript.caption_model import CaptionModel
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

    def show(self, translation: Translation) -> bool:
        """Put a translation into the transcript; return False if translation was turned off or changed meanwhile."""
        if self.choice is None or translation.language != self.choice.options.target:
            return False
        if translation.final:
            self._complete.add(translation.id)
            while self._first in self._complete:  # so that what is remembered does not grow with the transcript
                self._complete.remove(self._first)
                self._first += 1
        self._captions.translate(translation)
        return True

    def waiting(self) -> tuple[Caption, ...]:
        """Captions that are final, or would be if the recording ended here, and whose translation is not."""
        if self.choice is None:
            return ()
        kept = (each for each in self._captions.final_captions() if each.id >= self._first)
        return tuple(each for each in kept if each.id not in self._complete)

    def ask_for_the_rest(self) -> None:
        """Have the final captions translated of which a session that begins now will say nothing by itself."""
        still_open = {each.id for each in self._captions.captions if not each.final}
        left = [each for each in self.waiting() if each.id not in still_open]
        if left:
            self._client.translate_also(left)
