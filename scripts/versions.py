#!/usr/bin/env python3
"""The version of farpoint: include/farpoint/core/config.hpp defines it, and other files repeat it.

    scripts/versions.py             prints the version
    scripts/versions.py --release   prints it, or fails and prints the reasons if the tree is not ready for its release

CMakeLists.txt and packaging/conan/conanfile.py read the version from the header. `scripts/docs.py fill` writes it into the
files of COPIES, and `scripts/docs.py check` fails if one differs. Needs Python 3.8, and nothing else.
"""

import pathlib
import re
import sys

SOURCE = "include/farpoint/core/config.hpp"
PARTS = ("MAJOR", "MINOR", "PATCH")
# Path, pattern and format of each repeated version. The group of the pattern is the text that the format gives.
COPIES = (
    (SOURCE, r"INLINE_NAMESPACE (v\d+_\d+)(?:_ftz)?$", "v{0}_{1}"),
    ("package.xml", r"<version>([\d.]+)</version>", "{0}.{1}.{2}"),
    ("packaging/vcpkg/ports/farpoint/vcpkg.json", r'"version": "([\d.]+)"', "{0}.{1}.{2}"),
    ("python/farpoint/__init__.py", r'^__version__ = "([\d.]+)"$', "{0}.{1}.{2}"),
    ("CITATION.cff", r"^version: ([\d.]+)$", "{0}.{1}.{2}"),
    ("docs/install.md", r"\bfarpoint/([\d.]+\d)", "{0}.{1}.{2}"),
    ("docs/install.md", r"(?:libfarpoint|libfarpoint\.so\.|find_package\(farpoint )(\d+\.\d+)", "{0}.{1}"),
)
SECTION = r"^## \[{}\] - (\d{{4}}-\d\d-\d\d)$"


def of(root):
    """(major, minor, patch) as in the header, as text; None without the header."""
    if not (root / SOURCE).exists():
        return None
    text = (root / SOURCE).read_text(encoding="utf-8")
    return tuple(re.search(rf"^#define FARPOINT_VERSION_{part} (\d+)$", text, re.MULTILINE).group(1) for part in PARTS)


def replaced(text, path, version):
    """The text of a file of COPIES with this version."""
    for name, pattern, form in COPIES:
        if name == path:
            matches = list(re.finditer(pattern, text, re.MULTILINE))
            if not matches:
                raise KeyError(f"{path}: no version where scripts/versions.py expects one: {pattern}")
            for match in reversed(matches):  # positions of earlier matches stay
                text = text[:match.start(1)] + form.format(*version) + text[match.end(1):]
    return text


def not_ready(root):
    """The reasons why the tree cannot be released: a section of CHANGELOG.md that is missing, or a date that differs."""
    version = ".".join(of(root))
    section = re.search(SECTION.format(re.escape(version)), (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if not section:
        return [f"CHANGELOG.md has no section \"## [{version}] - YYYY-MM-DD\""]
    cited = re.search(r"^date-released: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    return [] if cited == section.group(1) else [f"CHANGELOG.md has {section.group(1)}, CITATION.cff {cited}"]


def main(arguments):
    if arguments not in ([], ["--release"]):
        print(__doc__)
        return 2
    root = pathlib.Path(__file__).resolve().parent.parent
    reasons = not_ready(root) if arguments else []
    for reason in reasons:
        print(reason, file=sys.stderr)
    if not reasons:
        print(".".join(of(root)))
    return int(bool(reasons))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
