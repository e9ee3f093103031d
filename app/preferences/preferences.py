"""What a person has chosen: frozen, whole, checked where it is made. No Qt.

The engine's options are kept as they are, so that nothing has to be translated between a slider and a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

from engine.errors import OptionError
from engine.options import AssistantOptions, CaptionOptions, TranslationOptions, check_choice, check_range

Look = Literal["system", "light", "dark", "contrast"]
Languages = Literal["both", "spoken", "translation"]

LEAST_POINTS, USUAL_POINTS, MOST_POINTS = 11.0, 19.0, 48.0
MOST_OVERLAY_LINES = 8
MOST_THREADS = 1024
INTERFACE_LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class Models:
    """Which model does what, by catalogue name or folder."""

    hearing: str = "starter"
    translation: str = "starter-language"
    assistant: str = "starter-assistant"


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of each half of hearing, where a person sets them; see engine.machine.threads.

    Attributes:
        automatic: as `earshot profile` found best; the counts are not used then.
    """

    automatic: bool = True
    cpu_threads: int = 1
    gpu_threads: int = 1

    def __post_init__(self) -> None:
        check_range("cpu_threads", self.cpu_threads, 1, MOST_THREADS)
        check_range("gpu_threads", self.gpu_threads, 1, MOST_THREADS)


@dataclass(frozen=True, slots=True)
class Sound:
    """Where sound comes from and goes to, by the devices' names.

    Attributes:
        input, output: None is whatever the system uses at the time.
        both: captions are of the input and of what the computer plays, side by side.
    """

    input: str | None = None
    output: str | None = None
    both: bool = False


@dataclass(frozen=True, slots=True)
class OverlayPosition:
    """Where a window stands on a screen, in the screen's own pixels."""

    screen: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Overlay:
    """The captions that float above everything else.

    Attributes:
        shown: whether they are.
        font: a family; empty is the system's.
        points: the size of the text.
        text, background, translation: colours as "#RRGGBB".
        opacity: of the background, 0 to 1.
        lines: the most lines at a time.
        languages: what is spoken, its translation, or both.
        click_through: the mouse goes through to what is behind.
        places: the last one on each screen.
    """

    shown: bool = False
    font: str = ""
    points: float = 24.0
    text: str = "#FFFFFF"
    background: str = "#101214"
    translation: str = "#9FE8E0"
    opacity: float = 0.75
    lines: int = 2
    languages: Languages = "both"
    click_through: bool = False
    places: tuple[OverlayPosition, ...] = ()

    def __post_init__(self) -> None:
        check_range("overlay points", self.points, 10, 96)
        check_range("overlay opacity", self.opacity, 0, 1)
        check_range("overlay lines", self.lines, 1, MOST_OVERLAY_LINES)
        check_choice("overlay languages", self.languages, get_args(Languages))
        for name in ("text", "background", "translation"):
            if not re.fullmatch("#[0-9A-Fa-f]{6}", colour := getattr(self, name)):
                raise OptionError(f"overlay {name} must be a colour such as #FFFFFF, not {colour!r}.")


Page = Literal["captions", "assistant", "history", "models"]


@dataclass(frozen=True, slots=True)
class Window:
    """The main window as it was left.

    Attributes:
        geometry: size, place and screen, as Qt writes them, in base 64; empty is as usual.
        page: what it showed.
        tuning: whether the tuning panel was open.
    """

    geometry: str = ""
    page: Page = "captions"
    tuning: bool = False

    def __post_init__(self) -> None:
        check_choice("page", self.page, get_args(Page))


@dataclass(frozen=True, slots=True)
class Appearance:
    """The look of the app.

    Attributes:
        look: light, dark or of high contrast, or as the system is.
        language: of the interface, "en" or "de"; empty is the system's.
        points: the size of captions in the window.
        stable_only: words that may still change are not shown.
        details: figures, licences and the settings of research are shown, too.
    """

    look: Look = "system"
    language: str = ""
    points: float = USUAL_POINTS
    stable_only: bool = False
    details: bool = False

    def __post_init__(self) -> None:
        check_choice("look", self.look, get_args(Look))
        check_choice("language", self.language, ("", *INTERFACE_LANGUAGES))
        check_range("points", self.points, LEAST_POINTS, MOST_POINTS)


@dataclass(frozen=True, slots=True)
class History:
    """Rules of what is kept of captions and conversations.

    Attributes:
        keeps: whether anything is.
        audio: whether that is the sound of captions, too.
        days: for how long; None is for ever.
    """

    keeps: bool = True
    audio: bool = False
    days: int | None = None

    def __post_init__(self) -> None:
        if self.days is not None:
            check_range("history days", self.days, 1, 36_500)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Things that the app does by itself.

    Attributes:
        welcomed: the first run is over.
        tray: stays in the tray when its window is closed.
        hotkey: starts and stops captions from anywhere, such as "Ctrl+Alt+E"; empty is none.
        talk_key: the same for push-to-talk.
        dictation_key: the same for dictation, which types what is said into the program in front.
        speaks: the assistant answers aloud.
        mirror: where models are downloaded from; empty is Hugging Face.
    """

    welcomed: bool = False
    tray: bool = False
    hotkey: str = ""
    talk_key: str = ""
    dictation_key: str = ""
    speaks: bool = True
    mirror: str = ""

    def __post_init__(self) -> None:
        if self.mirror and not re.fullmatch(r"(?i)https?://\S+", self.mirror):
            raise OptionError(f"mirror must be an address such as https://huggingface.co, not {self.mirror!r}.")


@dataclass(frozen=True, slots=True)
class Preferences:
    """Everything that a person has chosen.

    Attributes:
        translates: whether captions are translated.
        translation: how, when they are.
        captions: how captions are made.
        assistant: how the assistant answers, sounds and takes turns.
    """

    translates: bool = False
    translation: TranslationOptions = field(default_factory=TranslationOptions)
    captions: CaptionOptions = field(default_factory=CaptionOptions)
    assistant: AssistantOptions = field(default_factory=AssistantOptions)
    models: Models = Models()
    threads: Threads = Threads()
    sound: Sound = Sound()
    overlay: Overlay = Overlay()
    appearance: Appearance = Appearance()
    history: History = History()
    behaviour: Behaviour = Behaviour()
    window: Window = Window()

    @property
    def translation_options(self) -> TranslationOptions | None:
        """Return what to translate with; None where it is off."""
        return self.translation if self.translates else None
