"""Files of weights: bytes on a disk come in, checked lists of tensors and arrays go out.

Nothing here knows a model, and no length that a file states is believed before it was compared with the file.
"""
