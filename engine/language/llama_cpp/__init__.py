"""GGUF models, run by llama.cpp on a processor in the few bits that they are stored in.

In: a GGUF file.
Out: a model with the interface of engine.language.token_model: AnsweringModel.
Callers: language.loading.
"""
