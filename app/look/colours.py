"""The colours of every look, by role: light, dark, and both in high contrast.

Every text colour keeps at least 4.5:1 contrast with its background, 7:1 in high contrast (a test measures it).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of one look, by role.

    Attributes:
        window: background of controls.
        rail: background of the buttons that lead to the pages.
        surface: background of captions and lists.
        raised: buttons, fields, menus, cards.
        hover: a control under the pointer.
        border: lines between areas and around controls.
        text: ordinary text.
        quiet: labels, times, figures.
        pending: words that may still change.
        translation: translations of captions.
        accent, on_accent: the main button, focus, the level; text on it.
        accent_hover: the main button under the pointer.
        stop, on_stop, stop_hover: the button that ends a recording; errors in a text.
        waiting, broken: the light beside the state, while something takes time and after a failure.
        notice, notice_border: background and border of a message.
        selection: background of a selection.
    """

    window: str
    rail: str
    surface: str
    raised: str
    hover: str
    border: str
    text: str
    quiet: str
    pending: str
    translation: str
    accent: str
    on_accent: str
    accent_hover: str
    stop: str
    on_stop: str
    stop_hover: str
    waiting: str
    broken: str
    notice: str
    notice_border: str
    selection: str


LIGHT = Colours(
    window="#F4F5F7",
    rail="#EBEDF0",
    surface="#FFFFFF",
    raised="#FFFFFF",
    hover="#ECEEF1",
    border="#DADEE4",
    text="#15181D",
    quiet="#565F6D",
    pending="#6A7380",
    translation="#0A6660",
    accent="#0B756F",
    on_accent="#FFFFFF",
    accent_hover="#095F5A",
    stop="#B9302B",
    on_stop="#FFFFFF",
    stop_hover="#9C2621",
    waiting="#C98A16",
    broken="#CF3A35",
    notice="#FFF7E3",
    notice_border="#EBD294",
    selection="#D3EFEC",
)
DARK = Colours(
    window="#1A1D21",
    rail="#15171B",
    surface="#121417",
    raised="#24282E",
    hover="#2E333A",
    border="#343A42",
    text="#F1F3F5",
    quiet="#A3ACB8",
    pending="#8E98A6",
    translation="#7AD6CC",
    accent="#3CC4B8",
    on_accent="#06211F",
    accent_hover="#5AD3C8",
    stop="#F2766F",
    on_stop="#2A0705",
    stop_hover="#F78F89",
    waiting="#E0A63E",
    broken="#F2766F",
    notice="#332B16",
    notice_border="#5F5127",
    selection="#173F3C",
)
CONTRAST_LIGHT = Colours(
    window="#FFFFFF",
    rail="#FFFFFF",
    surface="#FFFFFF",
    raised="#FFFFFF",
    hover="#E4E7EB",
    border="#5B626C",
    text="#000000",
    quiet="#30353C",
    pending="#454B54",
    translation="#00443F",
    accent="#004A45",
    on_accent="#FFFFFF",
    accent_hover="#00302D",
    stop="#8A0F0B",
    on_stop="#FFFFFF",
    stop_hover="#640805",
    waiting="#8A5A00",
    broken="#A3120D",
    notice="#FFFBEF",
    notice_border="#5B626C",
    selection="#BFEDE8",
)
CONTRAST_DARK = Colours(
    window="#000000",
    rail="#000000",
    surface="#000000",
    raised="#000000",
    hover="#26292E",
    border="#9AA3AF",
    text="#FFFFFF",
    quiet="#DDE2E8",
    pending="#C3CAD3",
    translation="#8FF3E8",
    accent="#4FE3D6",
    on_accent="#000000",
    accent_hover="#8FF3E8",
    stop="#FF9A94",
    on_stop="#000000",
    stop_hover="#FFBDB9",
    waiting="#FFC95C",
    broken="#FF9A94",
    notice="#1B1602",
    notice_border="#FFC95C",
    selection="#0B4A45",
)
