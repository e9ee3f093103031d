"""A language model that a server runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.errors import ModelError
from engine.language.chat_tokenizer import Message
from engine.language.servers.address import ServerAddress, read_address
from engine.language.servers.client import NoListError, ServedAnswer, models_of

OFF = (
    "A server shows no probabilities. So verifiers, branches and the end of a turn by its meaning are off; a reply "
    "that was written ahead is kept if the question then has the same words."
)
"""Limits of a server's model, for people."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model that a server has: its name for people, the server, and its name there, if that is known."""

    name: str
    address: ServerAddress
    model: str

    def answer(self, messages: Sequence[Message], most_tokens: int) -> ServedAnswer:
        """Ask for the likeliest answer to a conversation."""
        said = [{"role": message.role, "content": message.text} for message in messages]
        named = {"model": self.model} if self.model else {}
        body = {**named, "messages": said, "temperature": 0, "max_tokens": most_tokens}
        return ServedAnswer(self.address, body)


def load_served_model(text: str) -> ServedModel:
    """Return the model at an address, the first that the server names if the address names none.

    Raises ModelError if the server does not answer, or does not have it.
    """
    address = read_address(text)
    try:
        there = models_of(address)
    except NoListError:  # such as mlx_lm's, where nothing was downloaded from a hub; the first question will tell
        return ServedModel(text, address, address.model)
    if not there and not address.model:
        raise ModelError(f"{address.origin} has no model. Get one there, or name it: {address.origin}#MODEL.")
    if address.model and there and address.model not in there:
        known = ", ".join(there[:8])
        raise ModelError(f"{address.origin} has no model called {address.model!r}. It has {known}.")
    return ServedModel(text, address, address.model or there[0])
