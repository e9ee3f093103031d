"""Translation models of Marian's kind: Firefox's (Bergamot) and OPUS-MT's, an encoder and a small decoder.

In: a folder with a model and its SentencePiece vocabulary. Out: tokens and their logits, as of a language model.
Callers: engine.language, and through it engine.translate.
"""
