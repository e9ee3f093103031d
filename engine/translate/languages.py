"""Languages for translation: their codes, and their names for a model."""

from __future__ import annotations

from collections.abc import Collection

from engine.errors import OptionError

NAMES = {
    "af": "Afrikaans",
    "am": "Amharic",
    "ar": "Arabic",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "bs": "Bosnian",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "ga": "Irish",
    "gl": "Galician",
    "gu": "Gujarati",
    "ha": "Hausa",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "jv": "Javanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "la": "Latin",
    "lb": "Luxembourgish",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mg": "Malagasy",
    "mi": "Maori",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mn": "Mongolian",
    "mr": "Marathi",
    "ms": "Malay",
    "mt": "Maltese",
    "my": "Burmese",
    "nb": "Norwegian Bokmål",
    "ne": "Nepali",
    "nl": "Dutch",
    "nn": "Norwegian Nynorsk",
    "no": "Norwegian",
    "oc": "Occitan",
    "pa": "Punjabi",
    "pl": "Polish",
    "ps": "Pashto",
    "pt": "Portuguese",
    "pt-br": "Brazilian Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovenian",
    "so": "Somali",
    "sq": "Albanian",
    "sr": "Serbian",
    "su": "Sundanese",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "tg": "Tajik",
    "th": "Thai",
    "tl": "Tagalog",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vi": "Vietnamese",
    "xh": "Xhosa",
    "yi": "Yiddish",
    "yo": "Yoruba",
    "yue": "Cantonese",
    "zh": "Chinese",
    "zh-hans": "Simplified Chinese",
    "zh-hant": "Traditional Chinese",
    "zu": "Zulu",
}

UNSPACED = frozenset(("ja", "km", "lo", "my", "th", "yue", "zh"))
"""Languages without spaces between words, whose words are several characters."""


_BY_NAME = {name.casefold(): code for code, name in NAMES.items()}


def code_of(typed: str) -> str:
    """Return the code of a language that a person typed as "DE", "de_AT" or "German"; others as they are."""
    plain = typed.strip().casefold().replace("_", "-")
    return _BY_NAME.get(plain, plain)


def spoken_code(typed: str) -> str:
    """Return the code of a spoken language, without its region, by which no model hears."""
    return base_of(code_of(typed))


def base_of(code: str) -> str:
    """Return the language without region or script: "de" of "de-AT", "pt" of "pt_BR"."""
    return code.strip().casefold().replace("_", "-").partition("-")[0]


def name_of(code: str) -> str:
    """Return the English name of a language. Raises OptionError for an unknown code."""
    plain = code.strip().casefold().replace("_", "-")
    name = NAMES.get(plain) or NAMES.get(base_of(code))
    if name is None:
        raise OptionError(f"target must be the code of a language, such as 'de' for German, not {code!r}.")
    return name


def check_target(code: str, targets: Collection[str] | None, model: str) -> str:
    """Return the English name of a language that `model` translates into.

    `targets` are the codes that the model was made for; None if it does not say, and any language may be tried. Raises
    OptionError otherwise, naming the languages of the model.
    """
    if targets is None:
        return name_of(code)
    if not targets:
        raise OptionError(f"target cannot be {code!r} with the model {model}: it does not translate.")
    if base_of(code) not in {base_of(target) for target in targets}:
        raise OptionError(f"target must be one of {described(targets)} with the model {model}, not {code!r}.")
    return name_of(code)


def check_source(code: str | None, sources: Collection[str] | None, model: str) -> None:
    """Refuse a spoken language that `model` does not translate from; None stands for one that is not known yet."""
    if code is not None and not accepts_language(code, sources):
        raise OptionError(f"source must be one of {described(sources or ())} with the model {model}, not {code!r}.")


def accepts_language(code: str, sources: Collection[str] | None) -> bool:
    """Return whether a model translates from a language; any if the model does not say."""
    return sources is None or base_of(code) in {base_of(source) for source in sources}


def described(codes: Collection[str]) -> str:
    """Return codes with names for a message: "de (German), fr (French)"."""
    return ", ".join(f"{code} ({NAMES[base_of(code)]})" if base_of(code) in NAMES else code for code in codes)
