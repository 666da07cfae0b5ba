#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what the objects of src/ take from outside with what they may take.

    tools/symbols.py [FOLDER]   the folder of the build: build/clang. It has optimised no call away,
                                and leaves out functions of headers that nobody calls

tidy.py reads names in sources and knows those that are banned; this reads what the compiler has
made of them and knows those that are allowed (tools/symbols.txt), so that a call nobody has
thought of, one behind a macro or one of a library's header is found as well. lib/os is the home of
the system, and is not looked at.
"""
import os
import subprocess
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = "lib/os/"


@dataclass(frozen=True)
class Rule:
    """Names, and who may have them; nobody named: everybody."""

    names: tuple
    homes: tuple

    def allows(self, name, source):
        is_named = any(
            name.startswith(n[:-1]) if n.endswith("*") else name == n for n in self.names
        )
        is_home = not self.homes or any(
            source.startswith(h) if h.endswith("/") else source == h for h in self.homes
        )
        return is_named and is_home


def read_rules(text):
    rules = []
    for line in text.splitlines():
        names, _, homes = line.partition("#")[0].partition(":")
        if names.split():
            rules.append(Rule(tuple(names.split()), tuple(homes.split())))
    return rules


def find_objects(folder):
    """{path below src/: object}"""
    objects = {}
    for place, _, files in os.walk(os.path.join(folder, "src")):
        for name in files:
            path = os.path.join(place, name)
            _, mark, source = path.partition(".dir/")
            if mark and name.endswith(".c.o"):
                objects[source[: -len(".o")]] = path
    return objects


def find_sources(root):
    top = os.path.join(root, "src")
    found = [os.path.join(place, name) for place, _, files in os.walk(top) for name in files]
    return sorted(os.path.relpath(path, top) for path in found if path.endswith(".c"))


def list_symbols(objects):
    """({path: names that it lacks}, names that one of them has)"""
    listed = subprocess.run(
        ["nm", "--format=posix", "--extern-only", "--print-file-name", *objects.values()],
        capture_output=True, text=True, check=True,
    )
    source_of = {path: source for source, path in objects.items()}
    lacks, defined = {source: set() for source in objects}, set()
    for line in listed.stdout.splitlines():
        path, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        if kind in ("U", "w", "v"):
            lacks[source_of[path]].add(name)
        else:
            defined.add(name)
    return lacks, defined


def findings(root, folder, rules):
    """What is wrong, a sentence each."""
    objects, sources = find_objects(folder), find_sources(root)
    missing = [source for source in sources if source not in objects]
    if missing:
        return [f"src/{source}: not built: tools/build {os.path.basename(folder)}"
                for source in missing]
    lacks, defined = list_symbols({source: objects[source] for source in sources})
    return [
        f"src/{source}: takes {name} from outside of the tree: "
        "use lib/os, lib/base, or allow it in tools/symbols.txt"
        for source in sources if not source.startswith(HOME)
        for name in sorted(lacks[source] - defined)
        if not any(rule.allows(name, source) for rule in rules)
    ]


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "clang")
    with open(os.path.join(ROOT, "tools", "symbols.txt"), encoding="utf-8") as file:
        rules = read_rules(file.read())
    found = findings(ROOT, folder.rstrip("/"), rules)
    for message in found:
        print(message)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
