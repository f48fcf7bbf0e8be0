#!/usr/bin/env python3
"""Keeps the documentation true: code in pages is code that is compiled, figures are results, links lead somewhere.

    scripts/docs.py fill    writes code, table and figures where the markers are, the pages of docs/tables, the charts of
                            docs/plots that pages show, and the version into all files that repeat it (scripts/versions.py)
    scripts/docs.py check   fails if that would change a page; checks links, names of files and sizes of pictures, and that
                            every function has a page, a program that can be pasted and an example

Markers, each in a line of its own:

    <!-- examples/04_knn_on_a_stream.cu: search -->  the next fenced block is the region between two lines `//! [search]`
    <!-- calls farpoint/fps.hpp: fps, fps_extend --> ... <!-- /calls -->
                                                  the headers of these functions, and their declarations
    <!-- performance --> ... <!-- /performance -->   a table of the results that docs/performance.tsv names
    <!-- largest fps, knn --> ... <!-- /largest -->   the last row of these functions in it
    <!-- medians MACHINE/NAME SUITE: VARIANT = TITLE, ... --> ... <!-- /medians -->
                                                  a table of all cases of a suite in bench/results/MACHINE/NAME.json, in ms
    <!-- model MACHINE/NAME MACHINE/NAME --> ... <!-- /model -->
                                                  the table of bench/ranks/model.py for two runs of bench/results
    <!-- compile_times --> ... <!-- /compile_times -->   the table of bench/compile_times.json, which scripts/compile_times.py wrote
    <!-- python_bench MACHINE --> ... <!-- /python_bench -->
                                                  tables of bench/results/MACHINE/python/bench.json, which python -m farpoint.bench wrote
    <!-- splats rounds|views --> ... <!-- /splats -->   a table of docs/splats/splats.json, which scripts/splats.py wrote

Needs Python 3.8, and nothing else.
"""

import pathlib
import re
import sys

import blocks
import figures
import pictures
import signatures
import versions


def region(root, source, name):
    """The lines of an example between its two markers, without the indentation that they have in common, and without the
    markers of other regions."""
    text = (root / source).read_text(encoding="utf-8").splitlines()
    marks = [i for i, line in enumerate(text) if line.strip() == f"//! [{name}]"]
    if len(marks) != 2:
        raise KeyError(f"{source} has {len(marks)} lines `//! [{name}]`, not 2")
    lines = [line for line in text[marks[0] + 1:marks[1]] if not line.strip().startswith("//! [")]
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[common:] for line in lines]


# Pages whose C++ is all from examples, from headers or complete: what newcomers copy.
COMPILED = re.compile(r"^(README|docs/(getting_started|interop|library|workspaces|functions/\w+))\.md$")
SNIPPET = re.compile(r"^<!-- (examples/[\w./]+): (\w+) -->$")
# What stands between two markers: the first of them, the name of the second, and the lines.
BETWEEN = (
    (re.compile(r"^<!-- performance -->$"), "performance", figures.performance),
    (re.compile(r"^<!-- largest (.+) -->$"), "largest", figures.largest),
    (re.compile(r"^<!-- calls (\S+): (.+) -->$"), "calls", signatures.calls),
    (re.compile(r"^<!-- medians (\S+) (\S+): (.+) -->$"), "medians", figures.medians),
    (re.compile(r"^<!-- splats (rounds|views) -->$"), "splats", figures.splats),
    (re.compile(r"^<!-- model (\S+) (\S+) -->$"), "model", figures.model),
    (re.compile(r"^<!-- compile_times -->$"), "compile_times", figures.compile_times),
    (re.compile(r"^<!-- python_bench (\S+) -->$"), "python_bench", figures.python_bench),
)


def between(root, line):
    """The lines that belong behind this marker, and the marker behind them; or None."""
    for marker, name, lines_of in BETWEEN:
        found = marker.match(line)
        if found:
            lines = lines_of(root, *found.groups())
            return lines if name == "performance" else ["", *lines, ""], f"<!-- /{name} -->"
    return None


def filled(root, text):
    """A page with its code and its tables brought up to date."""
    lines, out, i = text.split("\n"), [], 0
    while i < len(lines):
        out.append(lines[i])
        snippet = SNIPPET.match(lines[i])
        made = between(root, lines[i])
        if snippet:
            if not lines[i + 1].startswith("```"):
                raise KeyError(f"no fenced block follows {lines[i]}")
            end = next(j for j in range(i + 2, len(lines)) if lines[j].startswith("```"))
            out += [lines[i + 1], *region(root, *snippet.groups()), lines[end]]
            i = end
        elif made:
            i = lines.index(made[1], i)
            out += [*made[0], lines[i]]
        i += 1
    return "\n".join(out)


def typed_in(root, page, text):
    """Blocks of C++ that no example holds and that are not complete, in a page that promises otherwise."""
    name = page.relative_to(root).as_posix()
    if not COMPILED.match(name):
        return []
    complete = {block.line for block in blocks.complete(text)}
    lines, problems, is_made = text.split("\n"), [], False
    for i, line in enumerate(lines):
        is_made = line.startswith("<!-- calls ") or is_made and line != "<!-- /calls -->"
        if line.startswith("```cpp") and not (is_made or i + 1 in complete or SNIPPET.match(lines[i - 1])):
            problems.append(f"{name}:{i + 1}: C++ that is neither complete nor from an example")
    return problems


def not_to_be_pasted(root):
    """Pages of functions without a program that is complete, or without the calls as the header declares them."""
    problems = []
    for page in sorted((root / "docs/functions").glob("*.md")):
        text, name = page.read_text(encoding="utf-8"), page.relative_to(root).as_posix()
        if not blocks.complete(text):
            problems.append(f"{name}: no program can be pasted")
        if "\n<!-- calls " not in text:
            problems.append(f"{name}: the headers of its functions are not named")
    return problems


def pages(root):
    also = [root / name for name in ("CHANGELOG.md", "SECURITY.md") if (root / name).exists()]
    return [root / "README.md", root / "CONTRIBUTING.md", *also, *sorted((root / "docs").rglob("*.md")),
            *sorted((root / "bench").rglob("*.md"))]


def without_code(text):
    """The prose of a page: fenced blocks and code spans do not count."""
    prose, is_code = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code:
            prose.append(re.sub(r"`[^`]*`", lambda code: "`" + re.sub(r"[\[\]()]", "", code.group()[1:-1]) + "`", line))
    return prose


def anchor_of(line):
    """GitHub's name of the heading in a line, or None."""
    heading = re.match(r"#+ +(.*)", line)
    if not heading:
        return None
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).lower()
    return re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")


def anchors(text):
    """GitHub's names of the headings of a page."""
    return [anchor for anchor in map(anchor_of, without_code(text)) if anchor]


def broken_links(root, page, text):
    """Links to files that are not there, or to headings that a page does not have. Addresses on the web are not looked up."""
    problems = []
    for link in re.findall(r"\]\(([^)\s]+)\)", "\n".join(without_code(text))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        name = page.relative_to(root)
        if not target.exists():
            problems.append(f"{name}: there is no {link}")
        elif anchor and target.suffix == ".md" and anchor not in anchors(
                text if target == page else target.read_text(encoding="utf-8")):
            problems.append(f"{name}: {path or name} has no heading #{anchor}")
    return problems


# A file that is named in prose by its folder and its name, perhaps with wildcards.
FILE = re.compile(r"(?<![\w./<*-])[\w*-][\w./*-]*/[\w./*-]+\.(?:hpp|cuh|cpp|cu|inc|py|sh|md|json|tsv)\b")
# The folders that such names begin in, and the folder of the page or the header itself.
FOLDERS = ("", "include", "include/farpoint", "include/farpoint/detail", "include/farpoint/detail/fps", "tests", "bench")


def missing_files(root, page, text):
    """Files that code spans of a page, or comments of a header, name and that are not there."""
    if page.suffix == ".md":
        prose = [" ".join(re.findall(r"`([^`]+)`", line)) for line in text.split("\n")]
    else:
        prose = [line.partition("//")[2] for line in text.split("\n")]
    return [f"{page.relative_to(root)}:{number}: there is no {name}" for number, line in enumerate(prose, 1)
            for name in FILE.findall(line) if not any(any(folder.glob(name)) for folder in
                                                      (page.parent, *(root / folder for folder in FOLDERS)))]


# A function at the start of a line: a result type of the public headers, a name, and an open parenthesis.
FUNCTION = re.compile(
    r"^(?:inline |constexpr )*(?:result|auto|bool|std::size_t|std::vector<\w+>|DLManagedTensor\*) (\w+)\(", re.MULTILINE)
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
# How much memory a function needs is part of that function.
SIZES = re.compile(r"_(bytes|bound)$")


def functions_of(root, *patterns, what=FUNCTION):
    """Functions of these headers that are outside of detail, or what else is looked for."""
    found = set()
    for pattern in patterns:
        for header in sorted((root / "include/farpoint").glob(pattern)):
            text = re.sub(r"namespace (?:FARPOINT_HIDDEN )?detail \{.*?\n\}  // namespace detail", "",
                          header.read_text(encoding="utf-8"), flags=re.DOTALL)
            found |= {name for name in what.findall(text) if not SIZES.search(name)}
    return sorted(found)


def public_functions(root):
    """Functions of the headers that stand directly in include/farpoint or in its scale/, scale/tiles/, search/, splat/ and subset/:
    what users call."""
    return functions_of(root, "*.[hc]*", "scale/*.[hc]*", "scale/tiles/*.[hc]*", "search/*.[hc]*", "splat/*.[hc]*",
                        "subset/*.[hc]*")


def undocumented(root):
    """Functions that no example calls, or that no page of docs/functions has in a heading, or the README does not name; and
    examples that newcomers are not led to."""
    examples = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "examples").glob("*.c*")))
    headings = "\n".join(line for page in sorted((root / "docs/functions").glob("*.md"))
                         for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    readme = (root / "README.md").read_text(encoding="utf-8")
    ladder = root / "docs/getting_started.md"
    ladder = ladder.read_text(encoding="utf-8") if ladder.exists() else ""
    problems = [f"docs/getting_started.md: examples/{path.name} is not in the ladder"
                for path in sorted((root / "examples").glob("*.c*")) if f"(../examples/{path.name})" not in ladder]
    for name in public_functions(root):
        called = re.compile(rf"\b{name}(<\w+>)?\(")
        if not called.search(examples):
            problems.append(f"examples: none calls {name}()")
        if not called.search(headings):
            problems.append(f"docs/functions: {name}() is in no heading")
        if not called.search(readme):
            problems.append(f"README.md: {name}() is not named")
    # Views of other libraries' types, and launchers under the names of others.
    problems += [f"examples: none calls {name}()" for name in functions_of(root, "interop/*.[hc]*", "compat/*.[hc]*")
                 if not re.search(rf"\b{name}(<\w+>)?\(", examples)]
    # Owners of memory and of what is in it.
    problems += [f"examples: none has a {name}" for name in functions_of(root, "*.[hc]*", "interop/*.[hc]*", what=CLASS)
                 if not re.search(rf"\bfarpoint::{name}\b", examples)]
    return problems


def brought_up_to_date(root, writes):
    """Writes the files whose code, figures or version have changed, or returns a problem for each."""
    new = {page: filled(root, page.read_text(encoding="utf-8")) for page in pages(root)}
    new.update(figures.made(root))
    charts = figures.shown_charts(root, pages(root))
    new.update(charts)
    version = versions.of(root)
    for name in dict.fromkeys(copy[0] for copy in versions.COPIES if version):
        path = root / name
        new[path] = versions.replaced(new[path] if path in new else path.read_text(encoding="utf-8"), name, version)
    problems = [f"{path.relative_to(root)}: no page shows it" for path in sorted((root / figures.PLOTS).rglob("*.svg"))
                if path not in charts]
    for page, text in new.items():
        if page.exists() and page.read_text(encoding="utf-8") == text:
            continue
        if writes:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, encoding="utf-8")
            print(f"filled {page.relative_to(root)}")
        else:
            problems.append(f"{page.relative_to(root)}: code, figures or version are not up to date; run scripts/docs.py fill")
    return problems


def main(arguments):
    root = pathlib.Path(__file__).resolve().parent.parent
    if arguments not in (["fill"], ["check"]):
        sys.exit(__doc__)
    problems = brought_up_to_date(root, arguments == ["fill"])
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        problems += broken_links(root, page, text) + typed_in(root, page, text) + missing_files(root, page, text)
    for header in sorted((root / "include").rglob("*.[hc]*")):
        problems += missing_files(root, header, header.read_text(encoding="utf-8"))
    problems += undocumented(root) + not_to_be_pasted(root) + pictures.too_large(root)
    for problem in problems:
        print(problem)
    return 1 if problems and arguments == ["check"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
