"""What a question is about, recognised among all that the starter assistant was taught.

In: the text of a question.
Out: the intent that it asks for with its answer, a family of facts, or nothing that is known; and how sure that is.
Callers: engine.assistant; recipes and benches.
"""
