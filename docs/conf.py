"""Sphinx's settings for the site; scripts/make_site.py makes it."""

import gc
import os
import pathlib
import sys

# make_site.py calls `sphinx-build -c docs`, so the repository is the parent folder.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts"))
import versions

# Sphinx keeps most of what it makes: looking for garbage as often as usual takes as long as all else.
gc.set_threshold(1_000_000)

project = "farpoint"
release = ".".join(versions.of(pathlib.Path(__file__).resolve().parents[1]))
extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
root_doc = "docs/index"
myst_heading_anchors = 6
# Headers may declare the same function, and the library declares those of the headers.
suppress_warnings = ["duplicate_declaration.cpp"]
breathe_projects = {"farpoint": os.environ["FARPOINT_DOXYGEN_XML"]}
breathe_default_project = "farpoint"
# Every page has the whole sidebar: with each function in it a page takes ten times as long.
toc_object_entries = False
html_theme = "furo"
html_title = f"farpoint {release}"
html_copy_source = False
html_show_sphinx = False
pygments_style = "tango"
pygments_dark_style = "monokai"
