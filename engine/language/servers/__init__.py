"""Language models behind an OpenAI-compatible server: Ollama, LM Studio, llama.cpp's and mlx_lm's, or any other.

In: an address, messages.
Out: text as it is written; nothing is known of tokens and logits.
Callers: language, answer and process; the app, to look for servers.
"""
