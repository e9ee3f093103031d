"""What was said before: kept, found again, read, exported and erased.

In: captions, translations and turns as they are final; what a person looks for.
Out: sessions and their lines, the history's page.
Callers: captions, application and screenshots.
"""
