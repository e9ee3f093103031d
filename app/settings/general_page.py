"""Settings of the app itself: language, look, tray, system-wide keys."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

from app.preferences.preferences import LEAST_POINTS, MOST_POINTS
from app.preferences.releases import releases_address
from app.preferences.settings import Settings
from app.preferences.surroundings import Surroundings
from app.settings.page import SettingsPage
from app.settings.programs_row import ProgramsRow
from app.settings.session_start import SessionStartRow
from app.sound.recorders import can_be_known
from app.widgets.rows import ChoiceRow, KeysRow, Scale, SliderRow, SwitchRow

OWN_NAMES = {"en": "English", "de": "Deutsch"}


class GeneralSettings(SettingsPage):
    """The page of general settings."""

    def __init__(self, title: str, settings: Settings, here: Surroundings) -> None:
        super().__init__(settings, title)
        self._add_appearance(settings)
        self._add_shortcuts(settings, here)
        self._add_background(settings, here)
        self._add_meetings(settings)
        self._add_updates(settings)

    def _add_appearance(self, settings: Settings) -> None:
        system = self.tr("Same as system")
        self.card(
            self.tr("Appearance"),
            ChoiceRow(
                settings,
                "appearance.look",
                self.tr("&Colours"),
                self.tr("High contrast follows the system: light or dark."),
                (
                    ("system", system),
                    ("light", self.tr("Light")),
                    ("dark", self.tr("Dark")),
                    ("contrast", self.tr("High contrast")),
                ),
            ),
            ChoiceRow(
                settings,
                "appearance.language",
                self.tr("&Language of Earshot"),
                self.tr("Takes effect the next time Earshot starts."),
                (("", system), *OWN_NAMES.items()),
            ),
            SwitchRow(
                settings,
                "appearance.details",
                self.tr("Show &details"),
                self.tr("How quick everything is, where models come from, and settings for experts."),
            ),
            SwitchRow(
                settings,
                "appearance.clock_times",
                self.tr("Show ti&mes of day"),
                self.tr("Beside captions, instead of the time since the recording began."),
            ),
            SliderRow(
                settings,
                "appearance.points",
                self.tr("&Text size of captions"),
                self.tr("For the window; the overlay has its own."),
                Scale(LEAST_POINTS, MOST_POINTS, 1),
                lambda points: self.tr("{:.0f} points").format(points),
            ),
        )

    def _add_shortcuts(self, settings: Settings, here: Surroundings) -> None:
        anywhere = self.tr("Works even when another program is in front.")
        if sys.platform == "darwin":
            alone = self.tr("macOS does not tell whether another program has the same keys: choose some of your own.")
            anywhere = f"{anywhere} {alone}"
        hotkey = KeysRow(settings, "behaviour.hotkey", self.tr("&Start and stop captions"), anywhere)
        talk_key = KeysRow(
            settings,
            "behaviour.talk_key",
            self.tr("Talk to the &assistant"),
            self.tr("Hold it while you speak."),
        )
        dictation_key = KeysRow(
            settings,
            "behaviour.dictation_key",
            self.tr("D&ictate"),
            self.tr("Types what you say into the program in front, until you press it again."),
        )
        for row in (hotkey, talk_key, dictation_key):
            row.needs = lambda _: not here.no_hotkey
        self.card(self.tr("Global shortcuts"), hotkey, talk_key, dictation_key)
        if here.no_hotkey:
            hotkey.say(here.no_hotkey)

    def _add_background(self, settings: Settings, here: Surroundings) -> None:
        tray = self.tr("Captions and the overlay keep running when the window is closed; the icon brings it back.")
        if not here.has_tray:
            tray = self.tr("This desktop cannot show icons for programs in the background.")
        stays = SwitchRow(settings, "behaviour.tray", self.tr("Sta&y in the tray when the window is closed"), tray)
        stays.needs = lambda _: here.has_tray
        self.card(self.tr("In the background"), stays, SessionStartRow(settings))

    def _add_meetings(self, settings: Settings) -> None:
        can = can_be_known()
        what = self.tr("A notice asks as soon as another program has used a microphone for five seconds.")
        if not can:
            what = self.tr("This system does not say which programs use a microphone.")
        offers = SwitchRow(settings, "meetings.offers", self.tr("&Offer captions when a meeting begins"), what)
        offers.needs = lambda _: can
        left_out = ProgramsRow(
            settings,
            "meetings.left_out",
            self.tr("&Never ask for"),
            self.tr("Names of programs, one a line, as the notice calls them."),
            "Audacity",
        )
        allowed = ProgramsRow(
            settings,
            "meetings.allowed",
            self.tr("Start &without asking for"),
            self.tr("Captions of these programs begin and end by themselves."),
            "zoom",
        )
        for row in (left_out, allowed):
            row.needs = lambda now: can and now.meetings.offers
        self.card(self.tr("Meetings"), offers, left_out, allowed)

    def _add_updates(self, settings: Settings) -> None:
        address = releases_address()
        what = self.tr("Asks {} for its number, and tells nothing. Off, only the Help menu asks.").format(
            urlsplit(address).netloc
        )
        if not address:
            what = self.tr("This Earshot does not say where its releases are.")
        weekly = SwitchRow(settings, "behaviour.asks_weekly", self.tr("Loo&k for a newer Earshot every week"), what)
        weekly.needs = lambda _: bool(address)
        self.card(self.tr("Newer versions"), weekly)

    def say(self, path: str, problem: str) -> None:
        """Show beneath the setting at a path what is wrong with it; an empty text hides the message."""
        for row in self.rows:
            if row.path == path:
                row.say(problem)
