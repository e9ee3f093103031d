"""File name extensions of recordings. The module imports nothing, so that a dialog loads no decoder."""

SOUND = (
    *("wav", "flac", "ogg", "oga", "opus", "mp3", "mp2", "aiff", "aif", "aifc", "au", "aac", "ac3", "eac3", "dts"),
    *("amr", "m4a", "m4b", "mka", "wma", "caf", "weba", "spx", "w64", "wv", "tta"),
)
FILMS = (
    *("mp4", "m4v", "mov", "mkv", "webm", "avi", "flv", "mpg", "mpeg", "3gp", "3g2", "wmv", "asf", "ts", "mts"),
    *("m2ts", "ogv", "vob", "mxf"),
)
ENDINGS = (*SOUND, *FILMS)
"""The common extensions; every other format that FFmpeg can open is accepted as well."""
