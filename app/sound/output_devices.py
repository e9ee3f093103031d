"""Output devices: list them, find one by name, and messages if there is none."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

from app.sound import core_audio, portaudio, sound_server
from engine.errors import AudioError


class LoudspeakerUnavailable(AudioError):
    """There is no loudspeaker, it cannot be opened, or it was disconnected."""


@dataclass(frozen=True, slots=True)
class OutputDevice:
    """A device that can play sound.

    Attributes:
        name: the system's name, the same at every connection.
        is_default: whether it is the system's default.
        title: the name for people; empty if it is `name`.
    """

    name: str
    is_default: bool
    title: str = ""

    @property
    def label(self) -> str:
        """Name to show."""
        return self.title or self.name


def list_output_devices() -> tuple[OutputDevice, ...]:
    """List the devices that can play, the system's default first; empty if there are none.

    Raises:
        LoudspeakerUnavailable: PortAudio is missing or does not start.
    """
    return tuple(sorted(_outputs(), key=lambda each: not each.is_default))


def _outputs() -> list[OutputDevice]:
    if sys.platform == "darwin":
        now = core_audio.devices()  # PortAudio does not know devices that came while a stream was open
        return [OutputDevice(each.name, each.number == now.default_output) for each in now.found if each.outputs]
    else:
        sounddevice = load_portaudio()
        try:
            with portaudio.devices(sounddevice):
                server = portaudio.server_device(sounddevice, "output")
                default = sounddevice.default.device[1]
                found = [
                    OutputDevice(device["name"], device["index"] == default)
                    for device in sounddevice.query_devices()
                    if device["max_output_channels"] > 0
                    and portaudio.is_meant(device["name"], has_server=server is not None)
                ]
        except sounddevice.PortAudioError as error:
            raise no_answer(error) from error
        if server is not None:
            sinks = sound_server.sinks()
            title = next((sink.title for sink in sinks if sink.is_default), "")
            found = [replace(each, title=title) if each.is_default else each for each in found]
            found += [OutputDevice(sink.name, False, sink.title) for sink in sinks]
        return found


def output_names() -> tuple[str, ...]:
    """List the names of the devices that can play, the system's default first; see `list_output_devices`."""
    return tuple(device.name for device in list_output_devices())


def check_output(device: str | int) -> None:
    """Check that an output has this name or number, unless there are no outputs; see `Player`.

    Raises:
        LoudspeakerUnavailable: there is none; the message lists the outputs.
    """
    if output_names():
        sounddevice = load_portaudio()
        with portaudio.devices(sounddevice):
            find_output(sounddevice, device)


def no_answer(error: Exception) -> LoudspeakerUnavailable:
    """Return the error for a failure of PortAudio."""
    return LoudspeakerUnavailable(
        f"The sound system does not answer ({portaudio.reason(error)}). Everything goes on without sound."
    )


def find_output(sounddevice: Any, device: str | int | None) -> tuple[dict[str, Any], str]:
    """Return PortAudio's description of a device, and the sound server's name for it if it is one of the server's.

    Raises:
        LoudspeakerUnavailable: there is none of that name, or none at all.
    """
    names = [each["name"] for each in sounddevice.query_devices() if each["max_output_channels"] > 0]
    if not names:
        raise LoudspeakerUnavailable("No loudspeaker was found. Connect one; everything goes on without sound.")
    server = portaudio.server_device(sounddevice, "output")
    sinks = sound_server.sinks() if server is not None and isinstance(device, str) else ()
    for sink in sinks:
        if sink.name == device and server is not None:
            return {**server, "name": sink.title, "default_samplerate": sink.rate_hz}, sink.name
    try:
        info: dict[str, Any] = sounddevice.query_devices(device, "output")
    except (ValueError, sounddevice.PortAudioError) as error:
        choice = f"Choose one of: {', '.join(dict.fromkeys([*names, *(sink.title for sink in sinks)]))}."
        raise LoudspeakerUnavailable(
            f"There is no single loudspeaker that answers to {device!r}. {choice}"
            if device is not None
            else f"The system names no default loudspeaker. {choice}"
        ) from error
    return info, ""


def load_portaudio() -> Any:
    """Load sounddevice. Raises LoudspeakerUnavailable if PortAudio is missing or does not start."""
    try:
        return portaudio.load()
    except (ImportError, OSError) as error:
        raise LoudspeakerUnavailable(
            f"Playing sound needs the PortAudio library, which is missing here. {portaudio.install()}; "
            "everything goes on without sound."
        ) from error
