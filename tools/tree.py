# SPDX-License-Identifier: Apache-2.0
"""The files of a checkout: what belongs to it, what is product, which module a file is in."""
import fnmatch
import os
import subprocess

import csource

# Test inputs may be as ugly as they like; a licence text is as it is.
RAW_FILES = ("tests/fuzz/corpus/*", "tests/config/*.yaml", "*.golden", "LICENSE")


class Tree:
    """The files of a checkout and their texts."""

    def __init__(self, root):
        self.root = root
        self.paths = sorted(self._list())
        self._known = set(self.paths)
        self._texts = {}
        self._codes = {}

    def _list(self):
        """What git tracks or would track; a source archive has no git and is walked."""
        if not os.path.exists(os.path.join(self.root, ".git")):
            return self._walk()
        command = ["git", "-C", self.root, "ls-files", "-co", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True, check=True)
        names = set(listed.stdout.splitlines())
        return [n for n in names if os.path.isfile(os.path.join(self.root, n))]

    def _walk(self):
        found = []
        for folder, folders, files in os.walk(self.root):
            folders[:] = [f for f in folders if f not in ("build", ".git", ".peers", "__pycache__")]
            found += [os.path.relpath(os.path.join(folder, f), self.root) for f in files]
        return found

    def has(self, path):
        return path in self._known

    def text(self, path):
        """The file's text; empty for a binary file."""
        if path not in self._texts:
            with open(os.path.join(self.root, path), "rb") as file:
                data = file.read()
            text = "" if b"\0" in data else data.decode("utf-8", errors="replace")
            self._texts[path] = text
        return self._texts[path]

    def code(self, path):
        """The file's text without comments and without the inside of strings."""
        if path not in self._codes:
            self._codes[path] = csource.without_literals(self.text(path))
        return self._codes[path]

    def c_files(self):
        return [p for p in self.paths if p.endswith((".c", ".h")) and not is_raw(p)]

    def resolve(self, path, name):
        """The project file that an include in path means, or None."""
        beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
        for candidate in ("src/" + name, "include/" + name, name, beside):
            if self.has(candidate):
                return candidate
        return None


def is_raw(path):
    return any(fnmatch.fnmatch(path, pattern) for pattern in RAW_FILES)


def is_product(path):
    return path.startswith(("src/", "apps/", "include/"))


def module_of(path):
    """lib/base for src/lib/base/x.h, node for src/node/x.h, apps for apps/...; else None."""
    parts = path.split("/")
    if parts[0] == "src" and len(parts) > 2:
        is_grouped = parts[1] in ("lib", "core", "grid", "protocol") and len(parts) > 3
        return "/".join(parts[1:3]) if is_grouped else parts[1]
    if parts[0] == "apps" and len(parts) > 1:
        return "apps"
    return None
