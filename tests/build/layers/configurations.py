"""One configuration a build: what changes functions of headers under one name is the same in all objects.

configurations.py COMPILE_COMMANDS: of two bodies of a function under one name a program has one, whichever it tests. Flags
that change bodies are instruction sets, sanitizers, floating-point rules and the macros FARPOINT_NO_ISA_DISPATCH and
FARPOINT_FEW_INLINE. Host C++ of src, tests, tools and examples is compared with that of the library. The programs
farpoint_tsan_* are left out: they bring a sanitizer, and link no library."""
import json
import pathlib
import re
import shlex
import sys

CHANGES_BODIES = re.compile('-m.+|-f(sanitize|fp-contract|.*math|rounding).*|-DFARPOINT_(NO_ISA_DISPATCH|FEW_INLINE|ISA).*')


def configuration(words):
    return tuple(sorted({word for word in words if CHANGES_BODIES.fullmatch(word)}))


def differences(commands):
    """Lines: the objects whose configuration is not the library's."""
    objects = {}
    for entry in commands:
        words = shlex.split(entry['command'])
        name = words[words.index('-o') + 1]
        if entry['file'].endswith('.cpp') and '/farpoint_tsan_' not in name:
            objects[name] = configuration(words)
    library = {flags for name, flags in objects.items() if 'farpoint.dir/' in name}
    if len(library) != 1:
        return [f'the library is compiled in {len(library)} configurations']
    expected = library.pop()
    return [f'{name}: {" ".join(flags) or "no flags"}; the library: {" ".join(expected) or "no flags"}'
            for name, flags in sorted(objects.items()) if flags != expected]


def main():
    found = differences(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    print('\n'.join(found))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
