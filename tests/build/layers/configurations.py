"""One configuration a program: what changes functions of headers under one name is the same in all of its objects.

configurations.py BUILD: of two bodies of a function under one name a program has one, whichever it tests. Flags that change
bodies are instruction sets, sanitizers, floating-point rules and the macros FARPOINT_NO_ISA_DISPATCH and
FARPOINT_FEW_INLINE. Compares the objects, of C++ and CUDA, of each program and library in a build folder of Ninja, those of
the libraries that it links among them. Objects that cannot find farpoint's headers are left out."""
import json
import pathlib
import re
import shlex
import sys

HEADERS = pathlib.Path(__file__).resolve().parents[3] / 'include'
CHANGES_BODIES = re.compile('-m.+|-f(sanitize|fp-contract|.*math|rounding|tz|mad).*|--use_fast_math|-prec-.*'
                            '|-DFARPOINT_(NO_ISA_DISPATCH|FEW_INLINE|ISA).*')
LINKS = re.compile(r'build ([^:]+): \w+_(?:EXECUTABLE|(?:STATIC|SHARED|MODULE)_LIBRARY)_LINKER__\S+ (.*)')


def configuration(words):
    """The flags that change bodies; nvcc's own, and those that it hands to the host compiler."""
    flags = [flag for word in words for flag in word.removeprefix('-Xcompiler=').split(',')]
    return ' '.join(sorted({flag for flag in flags if CHANGES_BODIES.fullmatch(flag)})) or 'no flags'


def configurations(commands, headers):
    """Configuration of each object that can include farpoint's headers."""
    found = {}
    for entry in commands:
        words = shlex.split(entry['command'])
        if f'-I{headers}' in words or ('-isystem', str(headers)) in zip(words, words[1:]):
            found[words[words.index('-o') + 1]] = configuration(words)
    return found


def linked(ninja):
    """For each program and library, its objects and libraries, by the lines of build.ninja."""
    return {match[1].split()[0]: match[2].split() for match in map(LINKS.match, ninja) if match}


def differences(commands, ninja, headers=HEADERS):
    """Lines: the programs and libraries that have objects of several configurations."""
    flags_of = configurations(commands, headers)
    parts_of = linked(ninja)

    def objects(target):
        for part in parts_of[target]:
            yield from objects(part) if part in parts_of else [part] if part in flags_of else []

    lines = []
    for target in sorted(parts_of):
        example = {flags_of[part]: part for part in objects(target)}
        if len(example) > 1:
            lines.append(f'{target}: ' + '; '.join(f'{flags} ({part})' for flags, part in sorted(example.items())))
    return lines


def main():
    build = pathlib.Path(sys.argv[1])
    commands = json.loads((build / 'compile_commands.json').read_text())
    ninja = (build / 'build.ninja').read_text().splitlines()
    if not configurations(commands, HEADERS) or not linked(ninja):
        print(f'{build}: no object with farpoint\'s headers, or no program')
        return 1
    found = differences(commands, ninja)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
