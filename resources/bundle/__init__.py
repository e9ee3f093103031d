"""Files that `build.spec` puts around the app: the Mac's property list and entitlements, icons, the Linux package.

In: the version, resources/earshot.svg, the folder that PyInstaller makes.
Out: files that a system reads before Earshot runs.
Callers: build.spec, and people who release; see docs/packaging.md.
"""
