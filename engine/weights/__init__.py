"""Files of model weights: reads files and folders, returns checked lists of tensors and arrays.

In: model folders and files: safetensors, CTranslate2, ggml.
Out: checked lists of tensors, arrays, JSON. Every length is compared with the file before it is used.
Callers: the rooms that load models; nothing here knows one.
"""
