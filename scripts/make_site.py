#!/usr/bin/env python3
"""Makes the site: the pages, the reference of the public headers, and the runs that bench/results keeps.

    scripts/make_site.py DIR [SPHINX]   DIR/html, by Doxygen and sphinx-build (build/site/bin/sphinx-build by default)

The pages are copied to DIR/source, as they lie in the repository; there they get the tables of contents below. A warning is an
error: a dead link or anchor, a page in no table, a parameter that is not documented.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import docs
import reference

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import pages as results

ROOT = pathlib.Path(__file__).resolve().parents[1]
# The table of contents: entries are pages, or folders whose pages are listed on a page of their own.
CONTENTS = {
    "Start": ["docs/getting_started", "docs/install", "docs/library", "docs/python", "docs/program", "Overview </README>"],
    "Guides": ["docs/workspaces", "docs/interop", "docs/scale", "docs/beside_other_work", "docs/tuning", "docs/limits", "docs/upgrading",
               "docs/building_blocks", "docs/visualize", "docs/splats", "docs/migration", "docs/design", "docs/architecture",
               "docs/glossary", "CONTRIBUTING", "SECURITY", "CHANGELOG"],
    "Functions": ["docs/functions/*"],
    "Reference": ["reference"],
    "Measurements": ["docs/tables/README", "bench/README", "measurements"],
}
FOLDERS = {"docs/migration": "From other libraries", "docs/design": "How it works", "reference": "Headers",
           "measurements": "All runs"}
LINK = re.compile(r"\]\(([^)\s]+)\)")


def toctree(entries, caption=None):
    """A table of contents in MyST."""
    options = [f":caption: {caption}", ":hidden:"] if caption else [":maxdepth: 1"]
    names = [entry if "<" in entry else f"/{entry}" for entry in entries]
    return "\n".join(["```{toctree}", *options, ":glob:", "", *names, "```", ""])


def linked_files(root, page):
    """The files of the repository that a page links to and that are no pages."""
    links = LINK.findall("\n".join(docs.without_code(page.read_text(encoding="utf-8"))))
    paths = [(page.parent / link.partition("#")[0]).resolve() for link in links if not re.match(r"[a-z]+:|#", link)]
    return [path for path in paths if path.is_file() and path.suffix != ".md" and root in path.parents]


def with_runs(text, runs):
    """A page whose links to runs of bench/results lead to their pages."""
    def replaced(match):
        run = re.search(r"bench/results/([\w-]+/[\w-]+)\.json$", match.group(1))
        return f"](/measurements/{run.group(1)}.md)" if run and run.group(1) in runs else match.group()
    return LINK.sub(replaced, text)


def copy_pages(root, source):
    """Copies all pages, and what they link to."""
    runs = {f"{path.parent.name}/{path.stem}" for path in results.kept(root / "bench/results")}
    for page in docs.pages(root):
        if root / "bench/results" in page.parents:
            continue
        for path in linked_files(root, page):
            copy = source / path.relative_to(root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        copy = source / page.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(with_runs(page.read_text(encoding="utf-8"), runs), encoding="utf-8")


def write_folders(source, folder, title):
    """A page for a folder that lists its pages, and those of the folders in it."""
    entries = [path.relative_to(source).with_suffix("").as_posix() for path in sorted(folder.glob("*.md"))]
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        write_folders(source, inner, inner.name)
        entries.append(inner.relative_to(source).as_posix())
    folder.with_suffix(".md").write_text(f"# {title}\n\n{toctree(entries)}", encoding="utf-8")


def main(arguments):
    if not 1 <= len(arguments) <= 2 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    out = pathlib.Path(arguments[0]).resolve()
    sphinx = arguments[1] if len(arguments) == 2 else str(ROOT / "build/site/bin/sphinx-build")
    source = out / "source"
    for made in ("source", "xml", "html", "doctrees"):
        shutil.rmtree(out / made, ignore_errors=True)
    source.mkdir(parents=True)
    settings = f'@INCLUDE = docs/Doxyfile\nOUTPUT_DIRECTORY = "{out}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, check=True)
    copy_pages(ROOT, source)
    results.main([str(source / "measurements")])
    reference.write_pages(out / "xml", source / "reference")
    for folder, title in FOLDERS.items():
        write_folders(source, source / folder, title)
    index = source / "docs/index.md"
    tables = "\n".join(toctree(entries, caption) for caption, entries in CONTENTS.items())
    index.write_text(f"{index.read_text(encoding='utf-8')}\n{tables}", encoding="utf-8")
    make_html(source, out, sphinx)


def make_html(source, out, sphinx):
    """Runs Sphinx, for which a warning is an error."""
    subprocess.run([sphinx, "-b", "html", "-q", "-W", "--keep-going", "-c", str(ROOT / "docs"), "-d", str(out / "doctrees"),
                    str(source), str(out / "html")],
                   env={**os.environ, "FARPOINT_DOXYGEN_XML": str(out / "xml")}, check=True)
    (out / "html/index.html").write_text('<meta http-equiv="refresh" content="0; url=docs/index.html">\n', encoding="utf-8")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as failed:
        sys.exit(f"make_site: {failed.cmd[0]} failed with {failed.returncode}")
