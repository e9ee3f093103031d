"""From captions to their translations: a growing sentence is translated again and again, the last result as draft."""
