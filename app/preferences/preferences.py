"""The user's preferences: frozen, complete, checked on construction. No Qt.

The engine's options are used as they are, so that nothing is converted between a slider and a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from engine.errors import OptionError
from engine.options import AssistantOptions, CaptionOptions, TranslationOptions, check_choice, check_range
from engine.process.messages import TranslationChoice

Look = Literal["system", "light", "dark", "contrast"]
Languages = Literal["both", "spoken", "translation"]
Edge = Literal["bottom", "top"]

LEAST_POINTS, USUAL_POINTS, MOST_POINTS = 11.0, 19.0, 48.0
MOST_OVERLAY_LINES = 8
MOST_THREADS = 1024
INTERFACE_LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class Models:
    """Models by purpose, as catalogue names or folders."""

    hearing: str = "starter"
    translation: str = "starter-language"
    assistant: str = "starter-assistant"


@dataclass(frozen=True, slots=True)
class Threads:
    """Thread counts of the two halves of recognition, if the user sets them; see engine.machine.threads.

    Attributes:
        automatic: use the counts that `earshot profile` found best, and ignore those here.
    """

    automatic: bool = True
    cpu_threads: int = 1
    gpu_threads: int = 1

    def __post_init__(self) -> None:
        check_range("cpu_threads", self.cpu_threads, 1, MOST_THREADS)
        check_range("gpu_threads", self.gpu_threads, 1, MOST_THREADS)


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound devices, by name.

    Attributes:
        input, output: device names; None is the system's current default.
        both: whether the input and the computer's own sound are captioned side by side.
    """

    input: str | None = None
    output: str | None = None
    both: bool = False


@dataclass(frozen=True, slots=True)
class OverlayPosition:
    """Position of a window on a screen, in the screen's own pixels."""

    screen: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class OverlayOptions:
    """Options of the floating captions.

    Attributes:
        shown: whether the overlay is visible.
        font: font family; empty is the system's.
        points: size of the text.
        text, background, translation: colours as "#RRGGBB".
        opacity: opacity of the background, 0 to 1.
        lines: most lines at a time.
        stays: whether the last words stay until new ones come, instead of fading once they can be read.
        edge: the edge of the screen at which it usually is.
        languages: the spoken language, its translation, or both.
        click_through: whether mouse clicks reach the window below.
        through_x11: whether all windows go through XWayland under Wayland, so that this one stays above and in place.
        places: last position on each screen.
    """

    shown: bool = False
    font: str = ""
    points: float = 24.0
    text: str = "#FFFFFF"
    background: str = "#101214"
    translation: str = "#9FE8E0"
    opacity: float = 0.75
    lines: int = 2
    stays: bool = False
    edge: Edge = "bottom"
    languages: Languages = "both"
    click_through: bool = False
    through_x11: bool = False
    places: tuple[OverlayPosition, ...] = ()

    def __post_init__(self) -> None:
        check_range("overlay points", self.points, 10, 96)
        check_range("overlay opacity", self.opacity, 0, 1)
        check_range("overlay lines", self.lines, 1, MOST_OVERLAY_LINES)
        check_choice("overlay edge", self.edge, get_args(Edge))
        check_choice("overlay languages", self.languages, get_args(Languages))
        for name in ("text", "background", "translation"):
            if not re.fullmatch("#[0-9A-Fa-f]{6}", colour := getattr(self, name)):
                raise OptionError(f"overlay {name} must be a colour such as #FFFFFF, not {colour!r}.")


Page = Literal["captions", "assistant", "history", "models"]


@dataclass(frozen=True, slots=True)
class Window:
    """State of the main window when it was closed.

    Attributes:
        geometry: size, position and screen as written by Qt, in base 64; empty is the default.
        page: the visible page.
        tuning: whether the tuning panel was open.
        notes: whether the pane of notes was open.
    """

    geometry: str = ""
    page: Page = "captions"
    tuning: bool = False
    notes: bool = False

    def __post_init__(self) -> None:
        check_choice("page", self.page, get_args(Page))


@dataclass(frozen=True, slots=True)
class Appearance:
    """Appearance of the app.

    Attributes:
        look: light, dark or high contrast, or as the system.
        language: interface language, "en" or "de"; empty is the system's.
        points: text size of captions in the window.
        stable_only: whether words that may still change are hidden.
        details: whether figures, licences and research settings are shown.
        clock_times: whether lines have their time of day, if it is known, and not their time in the recording.
    """

    look: Look = "system"
    language: str = ""
    points: float = USUAL_POINTS
    stable_only: bool = False
    details: bool = False
    clock_times: bool = False

    def __post_init__(self) -> None:
        check_choice("look", self.look, get_args(Look))
        check_choice("language", self.language, ("", *INTERFACE_LANGUAGES))
        check_range("points", self.points, LEAST_POINTS, MOST_POINTS)


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """Rules for storing captions and conversations.

    Attributes:
        keeps: whether anything is stored.
        audio: whether the audio of captions is stored as well.
        days: days until deletion; None is never.
        voices: whether voices that a person names are remembered for later recordings.
        written_notes: whether the assistant's model writes notes, if it is a general one; else lines are chosen.
    """

    keeps: bool = True
    audio: bool = False
    days: int | None = None
    voices: bool = False
    written_notes: bool = False

    def __post_init__(self) -> None:
        if self.days is not None:
            check_range("history days", self.days, 1, 36_500)


@dataclass(frozen=True, slots=True)
class MeetingOptions:
    """Captions of what other programs listen to.

    Attributes:
        offers: whether captions are offered when another program begins to record.
        left_out: programs for which they are not offered.
        allowed: programs for which they start without a question.
    """

    offers: bool = False
    left_out: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharingOptions:
    """Captions for other programs.

    Attributes:
        live_folder: folder of the files that follow the captions; empty is none.
    """

    live_folder: str = ""


@dataclass(frozen=True, slots=True)
class Interpreting:
    """Translations that are spoken while somebody speaks.

    Attributes:
        speaks: whether they are.
        output: device name; None is that of the assistant's answers.
    """

    speaks: bool = False
    output: str | None = None


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Behaviour of the app outside its pages.

    Attributes:
        welcomed: whether the first run is over.
        tray: whether it stays in the tray, where there is one, when its window is closed.
        tray_explained: whether the user was told so.
        hotkey: system-wide key that starts and stops captions, such as "Ctrl+Alt+E"; empty is none.
        talk_key: the same for push-to-talk.
        dictation_key: the same for dictation, which types speech into the active program.
        speaks: whether the assistant answers aloud.
        mirror: address that models are downloaded from; empty is Hugging Face.
        asks_weekly: whether it asks once a week whether there is a newer version.
        asked_at: when it asked last, in seconds since 1970.
    """

    welcomed: bool = False
    tray: bool = True
    tray_explained: bool = False
    hotkey: str = ""
    talk_key: str = ""
    dictation_key: str = ""
    speaks: bool = True
    mirror: str = ""
    asks_weekly: bool = False
    asked_at: float = 0.0

    def __post_init__(self) -> None:
        if self.mirror and not re.fullmatch(r"(?i)https?://\S+", self.mirror):
            raise OptionError(f"mirror must be an address such as https://huggingface.co, not {self.mirror!r}.")


@dataclass(frozen=True, slots=True)
class Preferences:
    """All preferences of the user.

    Attributes:
        translates: whether captions are translated.
        translates_by_ear: whether the model that hears translates, into English.
        translation: options of the translation.
        captions: options of captions.
        assistant: options of answers, voice and turn-taking.
    """

    translates: bool = False
    translation: TranslationOptions = field(default_factory=TranslationOptions)
    captions: CaptionOptions = field(default_factory=CaptionOptions)
    assistant: AssistantOptions = field(default_factory=AssistantOptions)
    models: Models = Models()
    threads: Threads = Threads()
    sound: Sound = Sound()
    overlay: OverlayOptions = OverlayOptions()
    appearance: Appearance = Appearance()
    history: HistoryOptions = HistoryOptions()
    behaviour: Behaviour = Behaviour()
    window: Window = Window()
    sharing: SharingOptions = SharingOptions()
    meetings: MeetingOptions = MeetingOptions()
    translates_by_ear: bool = False
    interpreting: Interpreting = Interpreting()

    @property
    def translation_choice(self) -> TranslationChoice | None:
        """Model and options of the translation; None if captions are not translated."""
        if not self.translates:
            return None
        voice = self.assistant.voice if self.interpreting.speaks else None
        if self.translates_by_ear:
            return TranslationChoice(replace(self.translation, target="en", source=None), by_ear=True, voice=voice)
        return TranslationChoice(self.translation, self.models.translation, voice=voice)
