"""How the names of recordings end. It imports nothing, so that a dialog can ask without loading what decodes."""

SOUND = ("wav", "flac", "ogg", "oga", "opus", "mp3", "aiff", "aif", "au", "aac", "ac3", "amr", "m4a", "mka", "wma")
FILMS = ("mp4", "m4v", "mov", "mkv", "webm", "avi", "flv", "mpg", "mpeg")
ENDINGS = (*SOUND, *FILMS)
"""What people have most; whatever else libsndfile or FFmpeg can open is heard as well."""
