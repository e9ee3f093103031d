"""Files of weights: bytes on a disk come in, checked lists of tensors and arrays go out.

In: model folders and files: safetensors, CTranslate2, ggml.
Out: checked lists of tensors, arrays, JSON; no length is believed before it was compared with the file.
Callers: the rooms that load models; nothing here knows one.
"""
