"""Ways of typing text into whatever program is in front, one for each kind of desktop.

In: text, as it would be typed.
Out: keys in the other program; why there can be none.
Callers: desktop alone.
"""
