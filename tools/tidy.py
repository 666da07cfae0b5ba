#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the rules of the tree that no compiler knows.

    tools/tidy.py [ROOT]            names each place that breaks a rule; fails when there is one
    tools/tidy.py --report [ROOT]   measures the tree; never fails

The rules: who may include whom (tools/layers.txt), which calls have one home, what every file
begins with, which files the build must know. tools/tools_test.py breaks each of them on purpose.
"""
import fnmatch
import os
import re
import signal
import sys
from dataclasses import dataclass

import csource
import measure
from tree import Tree, is_product, is_raw, module_of

LINE_MAX = 100
LICENCE = "SPDX-License-Identifier: Apache-2.0"

CODE_SUFFIXES = (".c", ".h", ".def", ".py", ".sh", ".cmake")

# Written in two halves so that this file does not find itself.
LEFTOVER = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


@dataclass(frozen=True)
class Rule:
    """Calls that are allowed in their homes only."""

    names: frozenset
    homes: tuple
    cure: str


def rule(names, homes, cure):
    return Rule(frozenset(names.split()), homes, cure)


OUTSIDE_PRODUCT = ("tests/", "bench/", "examples/")

CALL_RULES = (
    rule(
        "malloc calloc realloc reallocarray aligned_alloc posix_memalign memalign valloc free"
        " strdup strndup asprintf vasprintf",
        ("src/lib/base/alloc.c", "examples/"),
        "use lib/base/alloc.h",
    ),
    rule(
        "strcpy stpcpy strcat strncat sprintf vsprintf gets alloca",
        (),
        "it cannot be bounded: use lib/base/cursor.h or snprintf",
    ),
    rule("atoi atol atoll atof strtok", (), "it cannot report errors: use lib/base/bytes.h"),
    rule("rand srand random srandom rand_r drand48", (), "use lib/base/prng.h or the environment"),
    rule("system popen", (), "start no shell"),
    rule(
        "strerror localtime gmtime asctime ctime setlocale",
        OUTSIDE_PRODUCT,
        "it is not thread-safe: use its _r twin, or lib/os",
    ),
    rule("setjmp longjmp sigsetjmp siglongjmp", ("tests/",), "return an error instead"),
    rule(
        "sleep usleep nanosleep clock_nanosleep",
        ("src/lib/os/", "bench/", "examples/"),
        "park, or move the virtual clock in a test",
    ),
    rule(
        "time clock clock_gettime gettimeofday timespec_get getenv secure_getenv setenv getrandom"
        " getentropy syscall fork vfork execve execv execvp posix_spawn kill raise signal sigaction"
        " sched_yield sched_getaffinity sched_setaffinity mmap munmap madvise futex"
        " socket bind listen accept accept4 connect shutdown getsockname getpeername getsockopt"
        " setsockopt send sendto sendmsg sendmmsg recv recvfrom recvmsg recvmmsg socketpair"
        " getaddrinfo gethostbyname poll ppoll select pselect"
        " open openat creat read pread readv write pwrite writev close dup dup2 dup3 pipe pipe2"
        " fcntl ioctl unlink rename mkdir opendir readdir stat fstat lstat"
        " fopen fdopen freopen fclose fread fgets getline fscanf scanf vscanf vfscanf tmpfile"
        " remove clock_getres dlopen dlmopen dlsym dlvsym dlclose dlerror dladdr dladdr1 dlinfo",
        ("src/lib/os/",) + OUTSIDE_PRODUCT,
        "system calls live in lib/os: use lib/os/env.h",
    ),
    rule(
        "printf vprintf puts putchar putc dprintf vdprintf",
        ("apps/", "src/lib/os/") + OUTSIDE_PRODUCT,
        "only programs talk to the terminal: return it, or log it",
    ),
    rule(
        "fprintf vfprintf fputs fputc fwrite fflush perror psignal",
        ("apps/", "src/lib/os/", "src/lib/base/assert.c") + OUTSIDE_PRODUCT,
        "only programs talk to the terminal: return it, or log it",
    ),
    rule(
        "abort",
        ("src/lib/base/assert.c", "src/lib/os/") + OUTSIDE_PRODUCT,
        "use fil_assert for a broken invariant, an error for the rest",
    ),
    rule(
        "exit _exit _Exit quick_exit",
        ("apps/", "src/lib/os/") + OUTSIDE_PRODUCT,
        "return an error: only programs end the process",
    ),
)
CALL_RULE_OF = {name: each for each in CALL_RULES for name in each.names}

# Macros of the tree make longer names from these: READER(gets) is read_gets.
PASTED_NAMES = frozenset("gets puts remove rename select time".split())

# Families of calls, by how their names begin.
PREFIX_RULES = tuple(
    (prefix, rule("", ("src/lib/os/",) + OUTSIDE_PRODUCT, "use lib/os"))
    for prefix in (
        *("pthread_", "thrd_", "mtx_", "cnd_", "tss_", "sem_", "epoll_", "eventfd", "timerfd_"),
        *("signalfd", "inotify_", "io_uring_"),
    )
)

WORD_CURES = {
    "volatile": "use <stdatomic.h>",
    "__volatile__": "use <stdatomic.h>",
    "asm": "no inline assembly",
    "__asm": "no inline assembly",
    "__asm__": "no inline assembly",
    "atomic_thread_fence": "put the order on the operations: the thread sanitizer misreads fences",
    "atomic_signal_fence": "put the order on the operations: the thread sanitizer misreads fences",
}
WORD_PREFIX_CURES = {"__sync_": "use <stdatomic.h>", "__atomic_": "use <stdatomic.h>"}

SYSTEM_HEADER = re.compile(
    r"^(?:sys/|net/|netinet/|arpa/|linux/"
    r"|(?:unistd|pthread|threads|semaphore|dlfcn|fcntl|poll|netdb|sched|dirent|spawn)\.h)"
)


class Layers:
    """tools/layers.txt: the modules and what each may include."""

    def __init__(self, text):
        self.problems = []
        self._rows = []  # (module or pattern, names)
        for number, line in enumerate(text.splitlines(), 1):
            content = line.split("#")[0].strip()
            if content:
                self._add(number, content)

    def _add(self, number, content):
        module, colon, names = content.partition(":")
        if not colon:
            self.problems.append((number, f"'{content}' is not 'module: names'"))
            return
        for name in names.split():
            if not any(self._covers(name, above) for above, _ in self._rows):
                self.problems.append((number, f"{module} names {name}, which is not above it"))
        self._rows.append((module.strip(), names.split()))

    @staticmethod
    def _covers(name, module):
        return module == name or module.startswith(name + "/")

    def _row(self, module):
        for pattern, names in self._rows:
            if fnmatch.fnmatch(module, pattern):
                return names
        return None

    def knows(self, module):
        return self._row(module) is not None

    def allows(self, module, target):
        return module == target or any(self._covers(n, target) for n in self._row(module) or ())


def check_layers(tree):
    """Includes follow tools/layers.txt and stay out of other folders' internals."""
    layers = Layers(tree.text("tools/layers.txt"))
    for line, problem in layers.problems:
        yield "tools/layers.txt", line, problem
    for path in tree.c_files():
        for line, name in csource.computed_includes(tree.text(path)):
            yield path, line, f"#include {name} hides what it includes: write the file's name"
        for line, name, is_quoted in csource.includes(tree.text(path)):
            target = tree.resolve(path, name)
            if target is None and is_quoted:
                yield path, line, f'"{name}" is not in the tree: write <{name}> or mend the path'
            elif target is None:
                yield from check_system_header(path, line, name)
            elif is_product(path):
                yield from check_include(layers, path, line, target)
    for module in sorted({module_of(p) for p in tree.c_files()} - {None}):
        if not layers.knows(module):
            yield "tools/layers.txt", 1, f"the module {module} is missing"


def check_include(layers, path, line, target):
    if path.startswith("include/"):
        if not target.startswith("include/"):
            yield path, line, f"a public header includes {target}: it must stand alone"
        return
    if target.startswith("include/"):
        return
    module, target_module = module_of(path), module_of(target)
    if target_module is None:
        yield path, line, f"{target} is no product code"
    elif not layers.allows(module, target_module):
        yield path, line, f"{module} may not include {target_module} (tools/layers.txt)"
    elif target.endswith("_internal.h") and module != target_module:
        yield path, line, f"{target} is for {target_module} only"


def check_system_header(path, line, name):
    if not SYSTEM_HEADER.match(name) or not is_product(path):
        return
    # Programs need the names of the three standard descriptors.
    is_terminal = path.startswith("apps/") and name == "unistd.h"
    if not path.startswith("src/lib/os/") and not is_terminal:
        yield path, line, f"<{name}> belongs to lib/os: use lib/os/env.h"


def banned_call(name):
    if name in CALL_RULE_OF:
        return CALL_RULE_OF[name]
    return next((each for prefix, each in PREFIX_RULES if name.startswith(prefix)), None)


def banned_word(word):
    if word in WORD_CURES:
        return WORD_CURES[word]
    return next((c for prefix, c in WORD_PREFIX_CURES.items() if word.startswith(prefix)), None)


def check_calls(path, code):
    """Calls, and mentions of a function that could become calls: (getenv)("X"), f = getenv."""
    callbacks, own = csource.callbacks(code), csource.declared(code)
    pasted = {each for each in csource.macro_arguments(code) if each[1] in PASTED_NAMES}
    found = {each for each in csource.calls(code) if each[1] not in callbacks}
    found |= {each for each in csource.mentions(code) if each[1] not in own} - pasted
    for line, name in sorted(found):
        each = banned_call(name)
        if each is not None and not path.startswith(each.homes):
            yield path, line, f"{name}() is not for here: {each.cure}"


def check_banned(tree):
    """Calls stay in their homes; some words have none."""
    for path in tree.c_files():
        code = tree.code(path)
        yield from check_calls(path, code)
        for line, word in csource.words(code):
            cure = banned_word(word)
            if cure is not None:
                yield path, line, f"{word} is banned: {cure}"


def check_c_shape(tree):
    """Header guards, prefixes and typedefs."""
    for path in tree.c_files():
        code = tree.code(path)
        if path.endswith(".h") and not re.search(r"^#pragma once$", code, re.M):
            yield path, 1, "a header begins with #pragma once"
        # A function type that returns a struct is none.
        for match in re.finditer(r"\btypedef\s+(?:struct|enum|union)\b(?!\s+\w+\s*\(\*)", code):
            yield path, csource.line_of(code, match.start()), "no typedef for structs and enums"
        if path.startswith("src/"):
            for function in csource.functions(tree.text(path)):
                # A name in capitals is a macro that makes the function.
                is_ours = function.name.startswith("fil_") or function.name.isupper()
                if not function.is_static and not is_ours:
                    message = f"{function.name} has linkage: make it static or name it fil_*"
                    yield path, function.line, message


def is_code(tree, path):
    name = os.path.basename(path)
    is_script = "." not in name and tree.text(path).startswith("#!")
    return path.endswith(CODE_SUFFIXES) or name in ("CMakeLists.txt", "Makefile") or is_script


def check_licence(tree):
    for path in tree.paths:
        if is_raw(path) or not is_code(tree, path):
            continue
        is_c = path.endswith((".c", ".h", ".def"))
        first = tree.text(path).split("\n", 2)[: 1 if is_c else 2]
        wanted = ("// " if is_c else "# ") + LICENCE
        if wanted not in first:
            yield path, 1, f"the first line is '{wanted}'"


def check_text(tree):
    """Blanks at line ends, line ends, long lines, leftovers."""
    for path in tree.paths:
        text = tree.text(path)
        if is_raw(path) or not text:
            continue
        if not text.endswith("\n"):
            yield path, text.count("\n") + 1, "the last line has no end"
        if text.endswith("\n\n"):
            yield path, text.count("\n"), "the file ends with an empty line"
        yield from check_lines(path, text, is_code(tree, path))


def check_lines(path, text, is_code_file):
    is_laid_out_by_hand = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith("\r"):
            yield path, number, "the line ends with a carriage return"
        elif line != line.rstrip():
            yield path, number, "blanks at the end of the line"
        if not is_code_file:
            continue
        if "clang-format off" in line or "clang-format on" in line:
            is_laid_out_by_hand = "clang-format off" in line
        is_quoted = line.startswith("[[") or line.endswith("]]")  # C in a table of CMake
        if len(line) > LINE_MAX and not is_laid_out_by_hand and not is_quoted:
            yield path, number, f"{len(line)} columns, {LINE_MAX} at most"
        if LEFTOVER.search(line):
            yield path, number, f"a leftover: {line.strip()[:60]}"


def cmake_calls(text, function):
    """Yields the arguments of each call of the function."""
    bare = re.sub(r"#[^\n]*", "", text)
    for match in re.finditer(rf"\b{function}\s*\(([^()]*)\)", bare):
        yield match.group(1).split()


def cmake_section(arguments, keyword):
    """What stands behind a keyword, up to the next one."""
    if keyword not in arguments:
        return []
    rest = arguments[arguments.index(keyword) + 1 :]
    keywords = [i for i, word in enumerate(rest) if re.fullmatch(r"[A-Z]+", word)]
    return rest[: keywords[0]] if keywords else rest


def read_modules(tree):
    """{module: (sources, modules it depends on)} of src/CMakeLists.txt."""
    modules = {}
    for arguments in cmake_calls(tree.text("src/CMakeLists.txt"), "filbert_module"):
        sources = [f"src/{arguments[0]}/{s}" for s in cmake_section(arguments, "SOURCES")]
        modules[arguments[0]] = (sources, cmake_section(arguments, "DEPENDS"))
    return modules


def reachable(modules, module):
    """The module and everything its DEPENDS lead to."""
    seen, waiting = set(), [module]
    while waiting:
        current = waiting.pop()
        if current not in seen:
            seen.add(current)
            waiting += modules.get(current, ((), ()))[1]
    return seen


def check_build(tree):
    """The build knows every source and every test, and its DEPENDS follow the layers."""
    if not tree.has("src/CMakeLists.txt"):
        return
    modules = read_modules(tree)
    layers = Layers(tree.text("tools/layers.txt"))
    for module, (_, depends) in modules.items():
        for target in depends:
            if not layers.allows(module, target):
                message = f"{module} may not depend on {target} (tools/layers.txt)"
                yield "src/CMakeLists.txt", 1, message
    built = {source for sources, _ in modules.values() for source in sources}
    for path in tree.c_files():
        if path.startswith("src/"):
            if path.endswith(".c") and path not in built:
                yield path, 1, "not in src/CMakeLists.txt: nobody builds it"
            yield from check_depends(tree, modules, path)
    yield from check_tests_are_run(tree)


def check_depends(tree, modules, path):
    module = module_of(path)
    if module not in modules:
        return
    near = reachable(modules, module)
    for line, name, _ in csource.includes(tree.text(path)):
        target = tree.resolve(path, name)
        target_module = module_of(target) if target else None
        if target_module in modules and target_module not in near:
            message = f"{module} includes {target_module}: add it to DEPENDS in src/CMakeLists.txt"
            yield path, line, message


def check_tests_are_run(tree):
    scripts = [p for p in tree.paths if p.startswith("tests/") and p.endswith("CMakeLists.txt")]
    text = "\n".join(tree.text(p) for p in scripts)
    tests = {a[0] for a in cmake_calls(text, "filbert_test") if a}
    fuzzers = {a[0] for a in cmake_calls(text, "filbert_fuzz") if a}
    for path in tree.c_files():
        if path.startswith("tests/") and path.endswith("_test.c"):
            if path[len("tests/") : -len("_test.c")] not in tests:
                yield path, 1, "not in tests/CMakeLists.txt: nobody runs it"
        if path.startswith("tests/fuzz/") and path.endswith("_fuzz.c"):
            if path[len("tests/fuzz/") : -len("_fuzz.c")] not in fuzzers:
                yield path, 1, "not in tests/CMakeLists.txt: nobody runs it"


CHECKS = (check_layers, check_banned, check_c_shape, check_licence, check_text, check_build)


def findings(root):
    """All (path, line, message), each once, in order."""
    tree = Tree(root)
    return sorted({finding for check in CHECKS for finding in check(tree)})


def main():
    arguments = [a for a in sys.argv[1:] if a != "--report"]
    if any(a.startswith("-") for a in arguments) or len(arguments) > 1:
        sys.exit(__doc__)
    root = arguments[0] if arguments else os.path.join(os.path.dirname(__file__), "..")
    if "--report" in sys.argv:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        measure.report(root)
        return
    found = findings(root)
    for path, line, message in found:
        print(f"{path}:{line}: {message}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
