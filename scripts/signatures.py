"""The calls of pages, as the headers declare them. scripts/docs.py puts them where the markers are."""

import re

# The start of a function at the start of a line: a result type, a name and an open parenthesis.
DECLARED = r"^(?:inline |constexpr )*(result|auto|bool|std::size_t|std::vector<\w+>) {name}\("
WIDTH = 110


def parameters(text, begin):
    """The text between the parenthesis that opens before `begin` and the one that closes it."""
    depth, at = 1, begin
    while depth:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[begin:at - 1]


def split(text):
    """Parameters apart: commas within brackets do not count."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<({") - (letter in ">)}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def plain(parameter):
    """A parameter as a caller sees it: how it is passed does not matter to them."""
    text = " ".join(parameter.split())
    text = re.sub(r"detail::type_identity_t<(.*)>( \w+)", r"\1\2", text)
    text = re.sub(r"typename (?:Points|Queries|detail::points_of<Part>)::scalar\b", "Scalar", text)
    text = re.sub(r"typename (\w+)::", r"\1::", text)
    text = text.replace(" const&", "").replace("Communicator&", "Communicator")
    text = text.replace("[[maybe_unused]] ", "")
    return re.sub(r"^(?:host_exec|Exec) exec$", "exec", text)


def wrapped(start, parts):
    """A declaration in lines that are not too long, parameters below each other."""
    lines = [start]
    for number, part in enumerate(parts):
        piece = part + (", " if number + 1 < len(parts) else ")")
        if len(lines[-1] + piece.rstrip()) > WIDTH:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * len(start))
        lines[-1] += piece
    return lines


def declarations(text, name):
    """Every overload of a function, in the order of a header."""
    found = []
    # Overloads that do not compile only say why.
    text = re.sub(r"/// Does not compile: [^/]*?\n\n", "", text)
    for match in re.finditer(DECLARED.format(name=re.escape(name)), text, re.MULTILINE):
        lines = wrapped(f"{match.group(1)} {name}(", [plain(part) for part in split(parameters(text, match.end()))])
        if lines not in found:
            found.append(lines)
    return found


def in_library(root, names, headers="*.hpp"):
    """True if these headers of the compiled library declare all of these functions."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "include/farpoint/runtime").glob(headers)))
    code = re.sub(r"//.*", "", text)
    return all(re.search(rf"\b{name}\(", code) for name in names)


def calls(root, header, listed):
    """The lines of a page: the headers of these functions, and their declarations."""
    names = listed.split(", ")
    path = root / "include" / header
    text = re.sub(r"namespace (?:FARPOINT_HIDDEN )?detail \{.*?\n\}  // namespace detail", "",
                  path.read_text(encoding="utf-8"), flags=re.DOTALL)
    places = [f"`#include <{header}>` for host threads"]
    if path.with_suffix(".cuh").exists():
        places.append(f"`<{header[:-4]}.cuh>` for a stream, by nvcc")
    if in_library(root, names, "rank_calls.hpp"):
        places.append("`<farpoint/runtime/rank_calls.hpp>` for host threads, by the [compiled library](../library.md)")
    elif in_library(root, names):
        where = "for both" if in_library(root, names, "host_*.hpp") else "for a stream"
        places.append(f"`<farpoint/runtime.hpp>` {where}, by the [compiled library](../library.md)")
    lines = [", ".join(places) + ":", "", "```cpp"]
    for name in names:
        found = declarations(text, name)
        if not found:
            raise KeyError(f"{header} declares no {name}()")
        lines += sum(found, [])
    return lines + ["```"]
