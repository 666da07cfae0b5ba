#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs clang-tidy over the product code of a preset, several files at a time.

    tools/clang-tidy.py [BUILD-FOLDER]    by default build/clang

A file that was clean is skipped until it, a header it includes, its compile command, .clang-tidy
or clang-tidy itself changes. The cache is build/clang-tidy/: one empty file for each clean state.
"""
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import csource
from tree import Tree, is_product

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
CACHE = os.path.join(ROOT, "build", "clang-tidy")
CACHE_DAYS = 14


def read_commands(folder):
    """{path below the root: compile command} of the product code."""
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    commands = {os.path.relpath(e["file"], ROOT): e["command"] for e in entries}
    return {path: command for path, command in commands.items() if is_product(path)}


def included(tree, path):
    """The file and all project files it includes, directly or not."""
    seen, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        for _, name, _ in csource.includes(tree.text(current)):
            target = tree.resolve(current, name)
            if target is not None:
                waiting.append(target)
    return sorted(seen)


def state_of(tree, path, command, version):
    """A name for everything that the result depends on."""
    digest = hashlib.sha256()
    for part in (version, tree.text(".clang-tidy"), command):
        digest.update(part.encode() + b"\0")
    for each in included(tree, path):
        digest.update(each.encode() + b"\0" + tree.text(each).encode() + b"\0")
    return digest.hexdigest()


def run(folder, path):
    """(path, output) where the output is empty for a clean file."""
    command = ["clang-tidy", "-quiet", "-p", folder, os.path.join(ROOT, path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and not done.stdout.strip():
        return path, ""
    return path, done.stdout.strip() or done.stderr.strip()


def remember(state):
    with open(os.path.join(CACHE, state), "w", encoding="utf-8"):
        pass


def forget_old():
    oldest = time.time() - CACHE_DAYS * 24 * 3600
    for name in os.listdir(CACHE):
        path = os.path.join(CACHE, name)
        if os.path.getmtime(path) < oldest:
            os.remove(path)


def main():
    folder = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else f"{ROOT}/build/clang")
    version = subprocess.run(
        ["clang-tidy", "--version"], capture_output=True, text=True, check=True
    ).stdout
    os.makedirs(CACHE, exist_ok=True)
    tree = Tree(ROOT)
    commands = read_commands(folder)
    states = {path: state_of(tree, path, commands[path], version) for path in commands}
    waiting = []
    for path, state in sorted(states.items()):
        if os.path.exists(os.path.join(CACHE, state)):
            remember(state)
        else:
            waiting.append(path)
    faults = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, output in pool.map(lambda each: run(folder, each), waiting):
            if output:
                faults += 1
                print(output.replace(ROOT + "/", ""), flush=True)
            else:
                remember(states[path])
    forget_old()
    print(f"clang-tidy: {len(commands)} files, {len(waiting)} looked at, {faults} with faults")
    sys.exit(1 if faults else 0)


main()
