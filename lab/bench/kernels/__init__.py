"""The computation of hearing measured, stage by stage, against what this machine can do.

In: a Whisper model, and the demo's speech.
Out: the least time of each stage, for Earshot and for CTranslate2 with the same weights.
Callers: `earshot bench kernels`.
"""
