"""File name extensions of recordings. The module imports nothing, so that a dialog loads no decoder."""

SOUND = ("wav", "flac", "ogg", "oga", "opus", "mp3", "aiff", "aif", "au", "aac", "ac3", "amr", "m4a", "mka", "wma")
FILMS = ("mp4", "m4v", "mov", "mkv", "webm", "avi", "flv", "mpg", "mpeg")
ENDINGS = (*SOUND, *FILMS)
"""The common extensions; every other format that libsndfile or FFmpeg can open is accepted as well."""
