"""Names of languages, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

from engine.errors import OptionError
from engine.translate.languages import name_of

_OTHERWISE = {"jw": "jv"}
"""Whisper's own codes, and the standard ones."""


def language_name(code: str) -> str:
    """Return the name of a language: "German" for "de"; the code itself if it is unknown."""
    code = _OTHERWISE.get(code, code)
    try:
        name = name_of(code)
    except OptionError:
        language = QLocale.codeToLanguage(code)
        name = code if language is QLocale.Language.AnyLanguage else QLocale.languageToString(language)
    return QCoreApplication.translate("Language", name)


TRANSLATED = (
    QT_TRANSLATE_NOOP("Language", "Afrikaans"),
    QT_TRANSLATE_NOOP("Language", "Albanian"),
    QT_TRANSLATE_NOOP("Language", "Amharic"),
    QT_TRANSLATE_NOOP("Language", "Arabic"),
    QT_TRANSLATE_NOOP("Language", "Armenian"),
    QT_TRANSLATE_NOOP("Language", "Assamese"),
    QT_TRANSLATE_NOOP("Language", "Azerbaijani"),
    QT_TRANSLATE_NOOP("Language", "Bashkir"),
    QT_TRANSLATE_NOOP("Language", "Basque"),
    QT_TRANSLATE_NOOP("Language", "Belarusian"),
    QT_TRANSLATE_NOOP("Language", "Bengali"),
    QT_TRANSLATE_NOOP("Language", "Bosnian"),
    QT_TRANSLATE_NOOP("Language", "Brazilian Portuguese"),
    QT_TRANSLATE_NOOP("Language", "Breton"),
    QT_TRANSLATE_NOOP("Language", "Bulgarian"),
    QT_TRANSLATE_NOOP("Language", "Burmese"),
    QT_TRANSLATE_NOOP("Language", "Cantonese"),
    QT_TRANSLATE_NOOP("Language", "Catalan"),
    QT_TRANSLATE_NOOP("Language", "Chinese"),
    QT_TRANSLATE_NOOP("Language", "Croatian"),
    QT_TRANSLATE_NOOP("Language", "Czech"),
    QT_TRANSLATE_NOOP("Language", "Danish"),
    QT_TRANSLATE_NOOP("Language", "Dutch"),
    QT_TRANSLATE_NOOP("Language", "English"),
    QT_TRANSLATE_NOOP("Language", "Esperanto"),
    QT_TRANSLATE_NOOP("Language", "Estonian"),
    QT_TRANSLATE_NOOP("Language", "Faroese"),
    QT_TRANSLATE_NOOP("Language", "Finnish"),
    QT_TRANSLATE_NOOP("Language", "French"),
    QT_TRANSLATE_NOOP("Language", "Galician"),
    QT_TRANSLATE_NOOP("Language", "Georgian"),
    QT_TRANSLATE_NOOP("Language", "German"),
    QT_TRANSLATE_NOOP("Language", "Greek"),
    QT_TRANSLATE_NOOP("Language", "Gujarati"),
    QT_TRANSLATE_NOOP("Language", "Haitian Creole"),
    QT_TRANSLATE_NOOP("Language", "Hausa"),
    QT_TRANSLATE_NOOP("Language", "Hawaiian"),
    QT_TRANSLATE_NOOP("Language", "Hebrew"),
    QT_TRANSLATE_NOOP("Language", "Hindi"),
    QT_TRANSLATE_NOOP("Language", "Hungarian"),
    QT_TRANSLATE_NOOP("Language", "Icelandic"),
    QT_TRANSLATE_NOOP("Language", "Indonesian"),
    QT_TRANSLATE_NOOP("Language", "Irish"),
    QT_TRANSLATE_NOOP("Language", "Italian"),
    QT_TRANSLATE_NOOP("Language", "Japanese"),
    QT_TRANSLATE_NOOP("Language", "Javanese"),
    QT_TRANSLATE_NOOP("Language", "Kannada"),
    QT_TRANSLATE_NOOP("Language", "Kazakh"),
    QT_TRANSLATE_NOOP("Language", "Khmer"),
    QT_TRANSLATE_NOOP("Language", "Korean"),
    QT_TRANSLATE_NOOP("Language", "Lao"),
    QT_TRANSLATE_NOOP("Language", "Latin"),
    QT_TRANSLATE_NOOP("Language", "Latvian"),
    QT_TRANSLATE_NOOP("Language", "Lingala"),
    QT_TRANSLATE_NOOP("Language", "Lithuanian"),
    QT_TRANSLATE_NOOP("Language", "Luxembourgish"),
    QT_TRANSLATE_NOOP("Language", "Macedonian"),
    QT_TRANSLATE_NOOP("Language", "Malagasy"),
    QT_TRANSLATE_NOOP("Language", "Malay"),
    QT_TRANSLATE_NOOP("Language", "Malayalam"),
    QT_TRANSLATE_NOOP("Language", "Maltese"),
    QT_TRANSLATE_NOOP("Language", "Maori"),
    QT_TRANSLATE_NOOP("Language", "Marathi"),
    QT_TRANSLATE_NOOP("Language", "Mongolian"),
    QT_TRANSLATE_NOOP("Language", "Nepali"),
    QT_TRANSLATE_NOOP("Language", "Norwegian"),
    QT_TRANSLATE_NOOP("Language", "Norwegian Bokmål"),
    QT_TRANSLATE_NOOP("Language", "Norwegian Nynorsk"),
    QT_TRANSLATE_NOOP("Language", "Occitan"),
    QT_TRANSLATE_NOOP("Language", "Pashto"),
    QT_TRANSLATE_NOOP("Language", "Persian"),
    QT_TRANSLATE_NOOP("Language", "Polish"),
    QT_TRANSLATE_NOOP("Language", "Portuguese"),
    QT_TRANSLATE_NOOP("Language", "Punjabi"),
    QT_TRANSLATE_NOOP("Language", "Romanian"),
    QT_TRANSLATE_NOOP("Language", "Russian"),
    QT_TRANSLATE_NOOP("Language", "Sanskrit"),
    QT_TRANSLATE_NOOP("Language", "Serbian"),
    QT_TRANSLATE_NOOP("Language", "Shona"),
    QT_TRANSLATE_NOOP("Language", "Simplified Chinese"),
    QT_TRANSLATE_NOOP("Language", "Sindhi"),
    QT_TRANSLATE_NOOP("Language", "Sinhala"),
    QT_TRANSLATE_NOOP("Language", "Slovak"),
    QT_TRANSLATE_NOOP("Language", "Slovenian"),
    QT_TRANSLATE_NOOP("Language", "Somali"),
    QT_TRANSLATE_NOOP("Language", "Spanish"),
    QT_TRANSLATE_NOOP("Language", "Sundanese"),
    QT_TRANSLATE_NOOP("Language", "Swahili"),
    QT_TRANSLATE_NOOP("Language", "Swedish"),
    QT_TRANSLATE_NOOP("Language", "Tagalog"),
    QT_TRANSLATE_NOOP("Language", "Tajik"),
    QT_TRANSLATE_NOOP("Language", "Tamil"),
    QT_TRANSLATE_NOOP("Language", "Tatar"),
    QT_TRANSLATE_NOOP("Language", "Telugu"),
    QT_TRANSLATE_NOOP("Language", "Thai"),
    QT_TRANSLATE_NOOP("Language", "Tibetan"),
    QT_TRANSLATE_NOOP("Language", "Traditional Chinese"),
    QT_TRANSLATE_NOOP("Language", "Turkish"),
    QT_TRANSLATE_NOOP("Language", "Turkmen"),
    QT_TRANSLATE_NOOP("Language", "Ukrainian"),
    QT_TRANSLATE_NOOP("Language", "Urdu"),
    QT_TRANSLATE_NOOP("Language", "Uzbek"),
    QT_TRANSLATE_NOOP("Language", "Vietnamese"),
    QT_TRANSLATE_NOOP("Language", "Welsh"),
    QT_TRANSLATE_NOOP("Language", "Xhosa"),
    QT_TRANSLATE_NOOP("Language", "Yiddish"),
    QT_TRANSLATE_NOOP("Language", "Yoruba"),
    QT_TRANSLATE_NOOP("Language", "Zulu"),
)
"""The languages that are recognized or translated into, for lupdate to find."""
