#!/usr/bin/env python3
"""Counts phrases in comments, docstrings and pages that make readers stop.

    scripts/prose.py [PATH...]   prints FILE:LINE: PHRASE: SENTENCE, then the rate per 1,000 words of each folder
    scripts/prose.py --check     fails if a file exceeds the limit without being in scripts/prose_exceptions.txt, or if
                                 a file of this list passes
    scripts/prose.py --shrink    removes files that pass from the list

A file may have 3 phrases per 1,000 words, or 2 if it is short. Code between backticks, tables and examples are skipped.
Needs Python 3.8, and nothing else.
"""

import ast
import collections
import io
import os
import pathlib
import re
import sys
import tokenize

PER_1000_WORDS = 3
IN_SHORT_FILES = 2
EXCEPTIONS = "scripts/prose_exceptions.txt"
ROOTS = ("include", "src", "tools", "python", "bench", "tests", "examples", "docs", "scripts", "cmake", "packaging")
SKIPPED_FOLDERS = {"build", "results", "corpus", "__pycache__"}
# Name and pattern of each kind of phrase. Questions may begin with any word.
PHRASES = [(name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for name, words in (
    ("an opener without its noun", r"^(?!.*\?$)(?:of|the same|those|what|whatever|whoever|who|which|likewise|such"
                                   r"|as many|as much|as far|so many|so much|in place of|where it)"),
    ("a count without a name", r"(?:so|as) (?:many|much)|no more than|as far as"),
    ("a pronoun for a noun", r"those (?:of|that|which|in)|that of|of (?:those|them)"),
    ("a person for a caller or a thread", r"nobody|whoever|who(?= (?:has|is|looks|waits|finds|asks|wants|calls)\b)"),
    ("a thing that speaks or wants", r"tells?|told|asks?|asked|wants?|looks? at|takes? turns|knows? nothing|says? so"),
    ("absence as a thing", r"(?:not )?to be had|(?:is|are) (?:worth|(?-i:none))|there is no(?! longer)"),
    ("a word outside the field", r"besides?|apart|aloud|anew|dear(?:er)?|in silence|meanwhile|(?<!in )places?(?! of)"),
)]
TAG = re.compile(r"[@\\](?:t?param|return|file|brief|pre|post|note|par|throws?)\b(?:\s*\[\w+\])?")
C_TOKEN = re.compile(r"""R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\[^']+|[^'\\])'|(?P<comment>//[^\n]*|/\*.*?\*/)""",
                     re.DOTALL)


def c_comments(text):
    """(line, text of one line, whether it continues the one above) for each line of a comment."""
    column = -1
    for match in C_TOKEN.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        for i, part in enumerate(match.group("comment").split("\n") if match.group("comment") else ()):
            continues = i > 0 or (len(before) == column and not before.strip())
            column = len(before)
            yield line + i, re.sub(r"^\s*(?:/{2,}[!<]*|/?\*+/?)|\*/$", "", part), continues


def python_comments(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield token.start[0], token.string[1:], not token.line[:token.start[1]].strip()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (ast.get_docstring(node, clean=False) or "").split("\n")
            indent = [len(re.match(r"\s*(?:[-*] )?", part).group()) for part in lines]
            for i, part in enumerate(lines):
                continues = i == 1 or (i > 1 and indent[i] == indent[i - 1])
                yield node.body[0].lineno + i if node.body else 1, re.sub(r"^\s*(?:>>>|\.\.\.).*", "", part), continues


def hash_comments(text):
    for line, part in enumerate(text.split("\n"), 1):
        code, mark, comment = re.match(r"((?:\"[^\"]*\"|'[^']*'|[^\"'#]|(?<=\S)#)*)(#?!?)(.*)", part).groups()
        if mark == "#":
            yield line, comment, not code.strip()


def page_lines(text):
    fenced = False
    for line, part in enumerate(text.split("\n"), 1):
        if part.lstrip().startswith("```"):
            fenced = not fenced
        is_text = not fenced and not part.lstrip().startswith(("```", "|", "<!--"))
        yield line, part.lstrip("#") if is_text else "", not part.startswith("#")


READERS = {".py": python_comments, ".md": page_lines,
           **dict.fromkeys((".hpp", ".cuh", ".h", ".cpp", ".cu", ".inc", ".js"), c_comments),
           **dict.fromkeys((".cmake", ".sh", ".txt", ".yml", ".toml"), hash_comments)}


def sentences(path):
    paragraphs, last, is_code = [], -1, False
    read = READERS.get(path.suffix, lambda _: ())
    for line, text, continues in read(path.read_text(encoding="utf-8", errors="replace")):
        is_code = (is_code or "@code" in text) and "@endcode" not in text
        bare = re.sub(r"^[-*>] |^\d+\. ", "", TAG.sub("", text).strip())
        if not continues or line != last + 1 or bare != text.strip() or not paragraphs:
            paragraphs.append((line, []))
        last = line if bare and not is_code and "@endcode" not in text else -1
        if last == line:
            paragraphs[-1][1].append(bare)
    for line, texts in paragraphs:
        text = re.sub(r"`+[^`]*`+", "Code", " ".join(texts))
        for sentence in re.split(r"(?<=[.:;!?])\s+(?=[A-Z])", text):
            yield line, re.sub(r"^\W+", "", sentence)


def findings(path):
    """Number of words, and (line, phrase, sentence) of each finding."""
    words, found = 0, []
    for line, sentence in sentences(path):
        words += len(sentence.split())
        found += [(line, f"{name}, '{match.group()}'", sentence) for name, pattern in PHRASES
                  for match in pattern.finditer(sentence)]
    return words, found


def main(arguments):
    option = [a for a in arguments if a.startswith("--")]
    if option not in ([], ["--check"], ["--shrink"]) or (option and len(arguments) > 1):
        print(__doc__)
        return 2  # wrong arguments
    root = pathlib.Path.cwd()
    paths = [root / a for a in arguments if not option] or [*(root / r for r in ROOTS), *root.glob("*.md")]
    rates, found_in, failing = collections.defaultdict(lambda: [0, 0]), {}, set()
    for path in (file for base in paths for file in (base, *base.rglob("*")) if file.is_file()):
        name = os.path.relpath(path, root).replace(os.sep, "/")
        words, found = findings(path) if not SKIPPED_FOLDERS & set(name.split("/")) else (0, [])
        rate = rates[name.split("/")[0] if "/" in name else "."]
        rate[:] = rate[0] + len(found), rate[1] + words
        found_in[name] = found
        if len(found) > max(IN_SHORT_FILES, PER_1000_WORDS * words / 1000):
            failing.add(name)
    listed = set((root / EXCEPTIONS).read_text(encoding="utf-8").split()) if option else set()
    for name in sorted(found_in) if not option else sorted(failing - listed) if option == ["--check"] else ():
        for line, phrase, sentence in found_in[name]:
            print(f"{name}:{line}: {phrase}: {sentence[:120]}")
    if not option:
        for folder, (count, words) in sorted(rates.items()):
            if words > 0:
                print(f"{1000 * count / words:5.1f} per 1,000 words of {folder}: {count} in {words}")
    elif option == ["--shrink"]:
        (root / EXCEPTIONS).write_text("".join(f"{name}\n" for name in sorted(listed & failing)), encoding="utf-8")
    else:
        for name in sorted(listed - failing):
            print(f"{EXCEPTIONS}: {name} passes: remove it (scripts/prose.py --shrink)")
    return int(option == ["--check"] and failing != listed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
