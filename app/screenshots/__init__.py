"""Pictures of every view of the window, with made-up content: `python -m app.screenshots FOLDER`."""
