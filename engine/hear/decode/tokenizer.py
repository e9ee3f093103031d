"""Tokenizer of Whisper models: mlx-whisper's vocabularies, extended for streaming."""

from __future__ import annotations

import codecs
import importlib.machinery
import importlib.util
import string
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from types import ModuleType

LANGUAGES_WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "my", "yue"})
SECONDS_PER_TIMESTAMP = 0.02


class TextTokens(ABC):
    """The part of a vocabulary that decoding, timing and comparing words need.

    Attributes:
        n_vocab: number of tokens.
        eot: end-of-text token.
        no_speech: token whose probability at the start is the probability of silence.
    """

    n_vocab: int
    eot: int
    no_speech: int

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Encode any text; names of special tokens in it are ordinary text."""

    @abstractmethod
    def decode(self, tokens: Iterable[int]) -> str:
        """Decode tokens; special ones are skipped, incomplete characters become U+FFFD."""

    @abstractmethod
    def is_special(self, token: int) -> bool:
        """Return whether a token is not text."""

    @abstractmethod
    def token_bytes(self, token: int) -> bytes:
        """Return the bytes of text that a token stands for; for a special token, its name."""

    def split_to_words(self, tokens: Sequence[int], language: str | None = None) -> tuple[list[str], list[list[int]]]:
        """Split tokens into words; return the text and the tokens of each word.

        The concatenated texts are the whole text. A word begins at a space, is a punctuation mark, or is a special
        token
        (as its name, "<|endoftext|>"). In languages without spaces, each run of tokens that ends at the end of a
        character
        is a word.
        """
        texts, groups = self._split_at_characters(tokens)
        if language in LANGUAGES_WITHOUT_SPACES:
            return texts, groups
        words: list[str] = []
        word_tokens: list[list[int]] = []
        for text, group in zip(texts, groups, strict=True):
            starts = text.startswith(" ") or text.strip() in string.punctuation or self.is_special(group[0])
            if starts or not words or self.is_special(word_tokens[-1][0]):
                words.append(text)
                word_tokens.append(group)
            else:
                words[-1] += text
                word_tokens[-1] += group
        return words, word_tokens

    def _split_at_characters(self, tokens: Sequence[int]) -> tuple[list[str], list[list[int]]]:
        """Split tokens into the shortest runs that end at the end of a character."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        texts: list[str] = []
        groups: list[list[int]] = []
        text, group = "", []
        for token in tokens:
            text += decoder.decode(self.token_bytes(token))
            group.append(token)
            if not decoder.getstate()[0]:  # no incomplete character is pending
                texts.append(text)
                groups.append(group)
                text, group = "", []
        if group:
            texts.append(text + decoder.decode(b"", True))
            groups.append(group)
        return texts, groups


class Tokenizer(TextTokens):
    """A Whisper vocabulary and its special tokens.

    Attributes:
        multilingual: False for English-only models, which have no language and task tokens.
        all_language_codes, all_language_tokens: languages in the order of the vocabulary.
        sot, eot, sot_prev, no_speech, no_timestamps, timestamp_begin, transcribe, translate: token ids.
    """

    def __init__(self, num_languages: int, multilingual: bool) -> None:
        source = _reference()
        self.multilingual = multilingual
        self.num_languages = num_languages
        reference = source.get_tokenizer(multilingual, num_languages=num_languages)
        self._encoding = reference.encoding
        special: dict[str, int] = reference.special_tokens
        self._non_speech: tuple[int, ...] = reference.non_speech_tokens
        self.n_vocab: int = self._encoding.n_vocab
        self.eot = special["<|endoftext|>"]
        self.sot = special["<|startoftranscript|>"]
        self.sot_prev = special["<|startofprev|>"]
        self.sot_lm = special["<|startoflm|>"]
        self.no_speech = special["<|nospeech|>"]
        self.no_timestamps = special["<|notimestamps|>"]
        self.timestamp_begin = special["<|0.00|>"]
        self.transcribe = special["<|transcribe|>"]
        self.translate = special["<|translate|>"]
        self.all_language_codes: tuple[str, ...] = tuple(source.LANGUAGES)[:num_languages]
        self.all_language_tokens = tuple(special[f"<|{code}|>"] for code in self.all_language_codes)

    def encode(self, text: str) -> list[int]:
        """Encode any text; names of special tokens in it are ordinary text."""
        well_formed = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be encoded
        return list(self._encoding.encode_ordinary(well_formed))

    def decode(self, tokens: Iterable[int]) -> str:
        """Decode tokens; special and timestamp tokens are skipped, incomplete characters become U+FFFD."""
        return str(self._encoding.decode([token for token in tokens if token < self.eot]))

    def language_token(self, code: str) -> int:
        """Return the token of a language code.

        Raises:
            ValueError: the vocabulary has no such language; the message lists those that it has.
        """
        if code not in self.all_language_codes:
            raise ValueError(f"language must be one of {', '.join(self.all_language_codes)}, not {code!r}.")
        return self.all_language_tokens[self.all_language_codes.index(code)]

    def sot_sequence(self, language: str | None, *, into_english: bool = False) -> tuple[int, ...]:
        """Return the start of a transcript without timestamps, in the spoken language or in English.

        English-only models have no language and task tokens.
        """
        start = [self.sot]
        if self.multilingual:
            start += [self.language_token(language or "en"), self.translate if into_english else self.transcribe]
        return (*start, self.no_timestamps)

    def is_special(self, token: int) -> bool:
        """Return whether a token is not text: end, start, language, task, timestamp."""
        return token >= self.eot

    def is_timestamp(self, token: int) -> bool:
        return token >= self.timestamp_begin

    @cached_property
    def blank_tokens(self) -> tuple[int, ...]:
        """Return the tokens that a transcript must not begin with: a lone space, and the end."""
        return (*self.encode(" "), self.eot)

    @property
    def non_speech_tokens(self) -> tuple[int, ...]:
        """Tokens of brackets, notes and speaker marks, which are written but not spoken."""
        return self._non_speech

    @cached_property
    def suppressed_tokens(self) -> tuple[int, ...]:
        """Return the tokens that are never decoded: unspoken symbols, and special tokens that belong in prompts
        only.
        """
        never = (self.transcribe, self.translate, self.sot, self.sot_prev, self.sot_lm, self.no_speech)
        return tuple(sorted({*self._non_speech, *never}))

    def token_bytes(self, token: int) -> bytes:
        return bytes(self._encoding.decode_single_token_bytes(token))


@cache
def load_tokenizer(num_languages: int, multilingual: bool) -> Tokenizer:
    """Return the tokenizer of a model; repeated calls return the same object."""
    return Tokenizer(num_languages, multilingual)


@cache
def _reference() -> ModuleType:
    """Import mlx-whisper's tokenizer module alone; its package would import numba and scipy, which it does not need."""
    package = importlib.util.find_spec("mlx_whisper")
    locations = list(package.submodule_search_locations or []) if package else []
    for finder in sys.meta_path:
        spec: importlib.machinery.ModuleSpec | None = finder.find_spec("mlx_whisper.tokenizer", locations)
        if spec is not None and spec.loader is not None:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError("The package mlx-whisper is not installed.")
