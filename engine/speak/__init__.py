"""Sentences to speech: voices that can be paused, speech made ahead, sentences joined."""
