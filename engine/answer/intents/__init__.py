"""Classification of a question among all that the starter assistant was taught.

In: the text of a question.
Out: its intent with the answer, a family of facts, a tool, or unknown; each with a probability.
Callers: engine.assistant; recipes and benches.
"""
