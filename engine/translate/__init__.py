"""Translation of captions: a growing sentence is translated again and again, with the last result as draft.

In: captions as they grow, a language model, options.
Out: translations as they are shown.
Callers: engine.captions, engine.process and the command line; answer for shared parts of prompts.
"""
