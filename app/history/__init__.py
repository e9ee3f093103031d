"""Earlier captions and conversations: kept, searched, read, exported and erased.

In: final captions, translations and turns; search terms.
Out: sessions and their lines, the history's page.
Callers: captions, application and screenshots.
"""
