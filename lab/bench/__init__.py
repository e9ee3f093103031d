"""The tables of the papers and our own, re-run by `earshot bench`.

In: models, clips, texts and questions.
Out: measurements, tables, figures and pictures.
Callers: lab.commands alone, when a bench is asked for.
"""
