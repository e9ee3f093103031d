"""The bench of diarization: meetings put together from readers, and errors of turns and words.

In: utterances of LibriSpeech's speakers, or a recording with its turns.
Out: diarization error rate, words with the wrong speaker, number of speakers.
Callers: `lab.commands.speakers`.
"""
