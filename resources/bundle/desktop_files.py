"""Files by which a Linux desktop knows Earshot: the menu entry with its actions, and AppStream metadata."""

from __future__ import annotations

import os
import time
from pathlib import Path
from xml.sax.saxutils import escape

APP_ID = "org.earshot.Earshot"
DRAWING = Path(__file__).resolve().parents[1] / "earshot.svg"
MIME_TYPES = ("audio/flac", "audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/x-wav", "audio/x-aiff")

_MENU_ENTRY = f"""\
[Desktop Entry]
Type=Application
Name=Earshot
GenericName=Live captions
GenericName[de]=Live-Untertitel
Comment=Live captions, live translation and a voice assistant, on your own computer
Comment[de]=Live-Untertitel, Live-Übersetzung und ein Sprachassistent, auf dem eigenen Computer
Exec=earshot %f
Icon={{name}}
Terminal=false
Categories=Utility;Accessibility;
Keywords=captions;subtitles;translation;dictation;transcription;deaf;
Keywords[de]=Untertitel;Übersetzung;Diktat;Mitschrift;gehörlos;
MimeType={";".join(MIME_TYPES)};
StartupWMClass=earshot
Actions=captions;overlay;dictation;

[Desktop Action captions]
Name=Start or stop captions
Name[de]=Untertitel starten oder beenden
Exec=earshot toggle captions

[Desktop Action overlay]
Name=Show or hide the overlay
Name[de]=Schwebende Untertitel zeigen oder verbergen
Exec=earshot toggle overlay

[Desktop Action dictation]
Name=Start or stop dictation
Name[de]=Diktat starten oder beenden
Exec=earshot toggle dictation
"""

_METAINFO = """\
<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>{app_id}</id>
  <launchable type="desktop-id">{name}.desktop</launchable>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>GPL-3.0-or-later</project_license>
  <name>Earshot</name>
  <summary>Live captions, translation and a voice assistant</summary>
  <summary xml:lang="de">Live-Untertitel, Übersetzung und ein Sprachassistent</summary>
  <description>
    <p>Earshot shows what is said in a meeting, a film or a recording while it is being said, in the window or above
      all other windows, and writes another language below. It keeps what was said on this computer, types what you say
      into other programs, and answers questions aloud.</p>
    <p>Everything happens on your own computer: there is no cloud and no account.</p>
  </description>
  <developer id="org.earshot"><name>The Earshot project</name></developer>
  <categories><category>Utility</category><category>Accessibility</category></categories>
  <provides><binary>earshot</binary></provides>
  <content_rating type="oars-1.1"/>
  <releases><release version="{number}" date="{date}"/></releases>
</component>
"""


def menu_entry(name: str = "earshot") -> str:
    """Return the menu entry; `name` is that of its file and its icon."""
    return _MENU_ENTRY.format(name=name)


def metainfo(number: str, date: str, name: str = "earshot") -> str:
    """Return the AppStream metadata of a version that was built on a date such as 2026-11-28, and whose menu entry is
    of a name.
    """
    return _METAINFO.format(app_id=APP_ID, number=escape(number), date=escape(date), name=name)


def build_date() -> str:
    """Return today's date, or that of SOURCE_DATE_EPOCH, so that a build can be repeated."""
    return time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))


def write_desktop_files(usr: Path, number: str) -> None:
    """Write the command, the menu entry, the metadata and the icon for a program in `usr`/lib/earshot."""
    (usr / "bin").mkdir(parents=True, exist_ok=True)
    (usr / "bin/earshot").symlink_to("../lib/earshot/earshot")
    for place, text in {
        "applications/earshot.desktop": menu_entry(),
        f"metainfo/{APP_ID}.metainfo.xml": metainfo(number, build_date()),
        "icons/hicolor/scalable/apps/earshot.svg": DRAWING.read_text(encoding="utf-8"),
    }.items():
        path = usr / "share" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
