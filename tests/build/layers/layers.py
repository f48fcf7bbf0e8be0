#!/usr/bin/env python3
"""Holds the headers against the architecture that docs/architecture.md shows.

usage: layers.py INCLUDE_DIR      (the folder that holds farpoint's headers, include/farpoint)

Prints each breach, a line each, and exits with 1 if there is one:
  up        a header includes one of a higher layer
  sibling   a folder of detail/ includes one that it does not stand on
  cycle     headers include each other
  dangling  an include names a header that is not there
  unknown   a folder has no layer, or a file is neither .hpp nor .cuh
  crowded   a folder has more than 30 headers
  long      a header has more than 350 lines
  params    a function has more than 6 parameters that are numbers or pointers: they want a struct
  drawing   the tree or the rule in docs/architecture.md names other layers, or in another order
"""
import collections
import pathlib
import posixpath
import re
import sys

# From the bottom up: a header includes its own layer and those before it.
ORDER = [
    "core", "tuning", "geometry", "container", "host", "warp", "block", "grid", "spatial", "types",
    "detail/bvh", "detail/search", "detail/screen", "detail/splat", "detail/fps", "detail/voxelize", "detail/hash_map",
    "detail/gather", "detail/subset", "runtime", "public", "search", "scale", "splat", "subset", "reference", "interop", "compat",
]
# Of the folders of detail/ only these stand on others.
STANDS_ON = {
    "detail/search": {"detail/bvh"},
    "detail/screen": {"detail/bvh", "detail/search"},
    "detail/splat": {"detail/bvh", "detail/search", "detail/screen"},
}
MOST_HEADERS = 30
MOST_LINES = 350
MOST_PARAMS = 6
# Signatures there are those of other libraries.
GIVEN_PARAMS = "compat"
DRAWING = pathlib.Path(__file__).resolve().parents[3] / "docs/architecture.md"

INCLUDE = re.compile(r"\s*#\s*include\s*(?:<farpoint/([\w/.]+\.\w+)>|\"([\w/.]+)\")")


def layer_of(header):
    """Layer of a header, by its folder; the top folder holds the public functions, and a folder within a layer is part
    of it."""
    folder = header.parent.as_posix()
    inside = next((p.as_posix() for p in header.parents if p.as_posix() in ORDER), folder)
    return "public" if folder == "." else inside


def included_by(header, lines):
    """The headers that a header's lines include, as paths below the root. In quotes, a path begins in the header's own
    folder, unless it begins with farpoint/."""
    for m in filter(None, map(INCLUDE.match, lines)):
        if m.group(1):
            yield pathlib.PurePosixPath(m.group(1))
        elif m.group(2).startswith("farpoint/"):
            yield pathlib.PurePosixPath(m.group(2)[len("farpoint/"):])
        else:
            yield pathlib.PurePosixPath(posixpath.normpath((header.parent / m.group(2)).as_posix()))


def cycles(includes):
    """Sentences, one for each include of a header that leads back to the header that it stands in."""
    found, done = [], set()

    def visit(header, path):
        if header in path:
            found.append("cycle: " + " -> ".join(str(h) for h in path[path.index(header):] + [header]))
        elif header not in done:
            for included in includes.get(header, ()):
                visit(included, path + [header])
            done.add(header)

    for header in includes:
        visit(header, [])
    return found


# What is not code: comments, strings, directives with their continuations.
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum)\b")
# Parentheses that are no parameters: of macros and of these keywords.
NO_FUNCTION = re.compile(r"(?:[A-Z][A-Z0-9_]*|__\w+__|alignas|decltype|noexcept|sizeof|static_assert|requires|explicit)$")


def closing(text, at):
    """Index after the bracket that closes the one at `at`; what is in quotes or comments is gone already."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def without_templates(text):
    """The text with `template <...>` blanked: a `>` in parentheses closes nothing."""
    while True:
        m = re.search(r"\btemplate\s*<", text)
        if not m:
            return text
        depth, i = 1, m.end()
        while i < len(text) and depth > 0:
            if text[i] in "([{":
                i = closing(text, i)
                continue
            depth += {"<": 1, ">": -1}.get(text[i], 0)
            i += 1
        text = text[:m.start()] + re.sub(r"[^\n]", " ", text[m.start():i]) + text[i:]


# Types whose values a caller can mix up: a struct's members have names where it is filled, a number's place has none.
NUMBER = re.compile(r"(?:bool|char|short|int|long|unsigned|signed|float|double|(?:std::)?u?int\d+_t|(?:std::)?size_t"
                    r"|(?:std::)?ptrdiff_t|index_t|(?:typename\s+\w+::)?(?:Scalar|scalar)|Word|Key|Value|[A-Z])\b")


def split_params(text):
    """The parameters in the text between a function's parentheses, without their default arguments."""
    params, begin, angles, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        if c in "([{":
            i = closing(text, i)
            continue
        if c == "<" and re.search(r"\w\s*$", text[:i]):
            angles += 1
        elif c == ">" and angles > 0 and text[i - 1] != "-":
            angles -= 1
        elif c == "," and angles == 0:
            params.append(text[begin:i])
            begin = i + 1
        i += 1
    params.append(text[begin:])
    return [p.split("=")[0].strip() for p in params if p.strip() not in ("", "void")]


def is_plain(param):
    """Whether a parameter is a number or a pointer, by value or by reference; all else counts as a struct."""
    while "<" in param:  # the arguments of a template say nothing about what it makes
        shorter = re.sub(r"<[^<>]*>", "", param)
        if shorter == param:
            break
        param = shorter
    param = re.sub(r"^(?:(?:const|volatile)\s+)+", "", param)
    return "*" in param or NUMBER.match(param) is not None


def functions(source):
    """(line, name, plain parameters) of each function that the source declares or defines outside of function bodies."""
    text = NOISE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)
    text = without_templates(text)
    begin = i = 0
    while i < len(text):
        c = text[i]
        if c in "([":
            i = closing(text, i)
            continue
        if c in ";{}":
            statement = text[begin:i]
            candidates = (m for m in re.finditer(r"(operator\s*\(\)|operator\s*[^\s\w(]+|~?\w+)\s*(?=\()", statement)
                          if not NO_FUNCTION.match(m.group(1)))
            found = next(candidates, None)
            # Not a variable with an initializer, nor the rest of a constructor's list.
            before = statement[:found.start()] if found else ""
            if found and not before.lstrip().startswith((",", ":")) and "=" not in before:
                at = statement.index("(", found.end())
                params = split_params(statement[at + 1:closing(statement, at) - 1])
                yield text.count("\n", 0, begin + found.start()) + 1, found.group(1), sum(map(is_plain, params))
            if c == "{" and (found or not SCOPE.search(statement)):
                i = closing(text, i)  # a body, or an initializer
            else:
                i += 1
            begin = i
            continue
        i += 1


def long_parameter_lists(root):
    """Sentences, one for each function of more than MOST_PARAMS plain parameters."""
    return [f"params: {path.relative_to(root)}:{line} {name} {count}"
            for path in sorted(root.rglob("*")) if path.suffix in (".hpp", ".cuh")
            and layer_of(path.relative_to(root)) != GIVEN_PARAMS
            for line, name, count in functions(path.read_text(encoding="utf-8")) if count > MOST_PARAMS]


def block_after(heading, text):
    """The lines of the first fenced block below a heading."""
    m = re.search(r"^## " + heading + r"\n.*?^```\n(.*?)^```", text, re.S | re.M)
    return m.group(1).splitlines() if m else []


def drawn_folders(tree):
    """Folders that the lines of a tree begin with, several a line or one, as paths below the first line's."""
    parents, folders = [], []
    for line in tree[1:]:
        m = re.match(r"( +)(\w+/(?: *<? *\w+/)*)(?!\S)", line)
        if not m:
            continue
        depth, names = len(m.group(1)), re.findall(r"\w+", m.group(2))
        parents = [p for p in parents if p[0] < depth]
        folders += ["/".join([p[1] for p in parents] + [name]) for name in names]
        parents.append((depth, names[-1]))
    return folders


def false_drawing(text):
    """Sentences, one for each difference between ORDER and the text that shows it."""
    drawn = drawn_folders(block_after("The tree", text))
    folders = [layer for layer in ORDER if layer != "public"]
    found = [f"drawing: {layer} is not in the tree" for layer in folders if layer not in drawn]
    found += [f"drawing: {folder} in the tree is no layer" for folder in drawn
              if folder not in folders and not any(layer.startswith(folder + "/") or folder.startswith(layer + "/")
                                                   for layer in folders)
              and folder != "src"]
    rule = re.sub(r"(\w+/)\{([^}]*)\}", lambda m: ", ".join(m.group(1) + name.strip() for name in m.group(2).split(",")),
                  " ".join(block_after("The rule", text)))
    if [word for word in re.findall(r"[\w/]+", rule) if word in ORDER] != ORDER:
        found.append("drawing: the rule is not in the order of layers.py")
    return found


def breaches(root):
    """Sentences, one for each breach of the rules of layers, folders and lengths below `root`."""
    rank = {layer: place for place, layer in enumerate(ORDER)}
    headers = sorted(p.relative_to(root) for p in root.rglob("*") if p.suffix in (".hpp", ".cuh"))
    found = [f"unknown: {p.relative_to(root)}" for p in sorted(root.rglob("*"))
             if p.is_file() and p.suffix not in (".hpp", ".cuh")]
    found += [f"unknown: {layer}" for layer in sorted(set(map(layer_of, headers)) - set(rank))]
    crowd = collections.Counter(header.parent.as_posix() for header in headers)
    for folder, count in sorted(crowd.items()):
        if count > MOST_HEADERS:
            found.append(f"crowded: {'public' if folder == '.' else folder}: {count} headers")
    includes = {}
    for header in headers:
        lines = (root / header).read_text(encoding="utf-8").splitlines()
        if len(lines) > MOST_LINES:
            found.append(f"long: {header}: {len(lines)} lines")
        here = layer_of(header)
        includes[header] = list(included_by(header, lines))
        for included in includes[header]:
            there = layer_of(included)
            if not (root / included).exists():
                found.append(f"dangling: {header} -> {included}")
            elif here not in rank or there not in rank:
                continue
            elif rank[there] > rank[here]:
                found.append(f"up: {header} -> {included}")
            elif here != there and here.startswith("detail/") and there.startswith("detail/"):
                if there not in STANDS_ON.get(here, set()):
                    found.append(f"sibling: {header} -> {included}")
    found += cycles(includes)
    if not headers:
        found.append(f"unknown: no headers in {root}")
    return found


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    root = pathlib.Path(sys.argv[1])
    found = breaches(root) + long_parameter_lists(root) + false_drawing(DRAWING.read_text(encoding="utf-8"))
    if found:
        print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
