#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the tools themselves.

Breaks each rule of tidy.py in a tree of its own: the rule must notice, and nothing else may.
Compiles calls that objects may not make. Configures the release with the programs of the build
alone. Measures a function, and counts the tests of runs that went well, badly and not at all.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# The test leaves no traces in the tree it checks.
sys.dont_write_bytecode = True

import csource  # noqa: E402
import symbols  # noqa: E402
import tidy  # noqa: E402

TOOLS = os.path.dirname(os.path.abspath(__file__))

C_HEAD = "// SPDX-License-Identifier: Apache-2.0\n"
H_HEAD = C_HEAD + "#pragma once\n"
CMAKE_HEAD = "# SPDX-License-Identifier: Apache-2.0\n"

# A small tree without a fault; the tests add one to it.
CLEAN = {
    "src/lib/base/alloc.c": C_HEAD + "void fil_free(void *memory)\n{\n    free(memory);\n}\n",
    "src/lib/base/alloc.h": H_HEAD + "void fil_free(void *memory);\n",
    "src/lib/os/clock.c": C_HEAD + "int fil_clock_read(void)\n{\n    return time(0);\n}\n",
    "src/lib/os/clock.h": H_HEAD,
    "src/core/exec/stage.h": H_HEAD + '#include "lib/base/alloc.h"\n',
    "src/grid/map/map.h": H_HEAD + '#include "core/exec/stage.h"\n',
    "src/grid/queue/queue.h": H_HEAD,
    "src/protocol/resp/resp.h": H_HEAD + '#include "grid/map/map.h"\n',
    "apps/filbert/main.c": C_HEAD + 'int main(void)\n{\n    printf("hello");\n    return 0;\n}\n',
    "include/filbert/error.h": H_HEAD,
    "tests/unit/lib/base/alloc_test.c": C_HEAD + "#include <pthread.h>\n",
    "tests/fuzz/resp_fuzz.c": C_HEAD,
    "src/CMakeLists.txt": CMAKE_HEAD
    + "filbert_module(lib/base SOURCES alloc.c)\n"
    + "filbert_module(lib/os\n    SOURCES clock.c\n    DEPENDS lib/base)\n",
    "tests/CMakeLists.txt": CMAKE_HEAD
    + "filbert_test(unit/lib/base/alloc DEPENDS lib/base)\nfilbert_fuzz(resp)\n",
}


def messages(changes):
    """What tidy says of the clean tree with some files changed."""
    with open(os.path.join(TOOLS, "layers.txt"), encoding="utf-8") as file:
        files = {**CLEAN, "tools/layers.txt": file.read(), **changes}
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return [f"{path}:{line}: {message}" for path, line, message in tidy.findings(root)]


def c_function(body):
    return C_HEAD + "static void work(void)\n{\n    " + body + "\n}\n"


class TidyTest(unittest.TestCase):
    """One rule a test."""

    def assert_found(self, changes, *wanted):
        """Each wanted text stands in one message, and there are no other messages."""
        found = messages(changes)
        for text in wanted:
            self.assertTrue(any(text in message for message in found), f"{text}: {found}")
        self.assertEqual(len(found), len(wanted), found)

    def assert_call_found(self, path, body, *wanted):
        self.assert_found({path: c_function(body)}, *wanted)

    def test_clean_tree_is_clean(self):
        self.assert_found({})

    def test_include_upwards_is_found(self):
        text = H_HEAD + '#include "core/exec/stage.h"\n'
        self.assert_found({"src/lib/os/clock.h": text}, "lib/os may not include core/exec")

    def test_include_against_the_order_inside_lib_is_found(self):
        text = H_HEAD + '#include "lib/os/clock.h"\n'
        changes = {"src/lib/base/alloc.h": text}
        self.assert_found(changes, "lib/base may not include lib/os", "add it to DEPENDS")

    def test_structures_do_not_include_each_other(self):
        text = H_HEAD + '#include "grid/map/map.h"\n'
        wanted = "src/grid/queue/queue.h:3: grid/queue may not include grid/map"
        self.assert_found({"src/grid/queue/queue.h": text}, wanted)

    def test_client_does_not_include_the_grid(self):
        text = H_HEAD + '#include "grid/map/map.h"\n'
        self.assert_found({"src/client/client.h": text}, "client may not include grid/map")

    def test_product_does_not_include_tests(self):
        changes = {
            "tests/support/fake.h": H_HEAD,
            "src/lib/os/clock.h": H_HEAD + '#include "tests/support/fake.h"\n',
        }
        self.assert_found(changes, "tests/support/fake.h is no product code")

    def test_public_header_stands_alone(self):
        text = H_HEAD + '#include "lib/base/alloc.h"\n'
        self.assert_found({"include/filbert/map.h": text}, "it must stand alone")

    def test_internal_header_stays_in_its_folder(self):
        changes = {
            "src/lib/base/alloc_internal.h": H_HEAD,
            "src/lib/os/clock.h": H_HEAD + '#include "lib/base/alloc_internal.h"\n',
        }
        self.assert_found(changes, "alloc_internal.h is for lib/base only")

    def test_include_of_nothing_is_found(self):
        text = H_HEAD + '#include "lib/base/gone.h"\n'
        self.assert_found({"src/lib/os/clock.h": text}, '"lib/base/gone.h" is not in the tree')

    def test_include_in_a_comment_is_none(self):
        text = H_HEAD + '/*\n#include "core/exec/stage.h"\n*/\n'
        self.assert_found({"src/lib/os/clock.h": text})

    def test_unknown_module_is_found(self):
        self.assert_found({"src/util/misc.h": H_HEAD}, "the module util is missing")

    def test_layers_file_without_cycles(self):
        changes = {"tools/layers.txt": "lib/base: lib/os\n" + tidy_layers()}
        self.assert_found(changes, "lib/base names lib/os, which is not above it")

    def test_system_header_outside_os_is_found(self):
        text = H_HEAD + "#include <sys/socket.h>\n"
        self.assert_found({"src/grid/map/map.h": text}, "<sys/socket.h> belongs to lib/os")

    def test_heap_has_one_home(self):
        self.assert_call_found("apps/filbert/x.c", "free(malloc(1));", "malloc()", "free()")
        self.assert_call_found("tests/unit/x.c", "void *p = calloc(1, 1);", "calloc()")

    def test_unbounded_calls_have_no_home(self):
        self.assert_call_found("tests/unit/x.c", "strcpy(a, b);", "strcpy()")
        self.assert_call_found("apps/filbert/x.c", "system(a);", "system()")
        self.assert_call_found("apps/filbert/x.c", "int i = atoi(a);", "atoi()")

    def test_system_calls_live_in_os(self):
        self.assert_call_found("apps/filbert/x.c", "int fd = open(a, 0);", "open()")
        self.assert_call_found("apps/filbert/x.c", "epoll_wait(1, e, 1, 0);", "epoll_wait()")
        self.assert_call_found("apps/filbert/x.c", "pthread_create(a, b, c, d);", "pthread_create")
        self.assert_call_found("tests/unit/x.c", "pthread_create(a, b, c, d);")

    def test_system_calls_are_found_however_they_are_written(self):
        for body in ('(getenv)("X");', "find_fn f = getenv;", "run(&getenv);", "RUN(getenv);"):
            with self.subTest(body=body):
                self.assert_call_found("apps/filbert/x.c", body, "getenv()")
        self.assert_call_found("apps/filbert/x.c", "(remove)(a);", "remove()")
        self.assert_call_found("src/lib/os/clock.c", "find_fn f = getenv;")

    def test_threads_and_libraries_live_in_os(self):
        names = "thrd_create mtx_lock cnd_wait sem_wait dlopen dlsym clock_getres remove scanf"
        for name in names.split():
            with self.subTest(name=name):
                self.assert_call_found("apps/filbert/x.c", f"{name}(a);", f"{name}()")
                self.assert_call_found("tests/unit/x.c", f"{name}(a);")
        for name in ("threads.h", "semaphore.h", "dlfcn.h"):
            text = H_HEAD + f"#include <{name}>\n"
            self.assert_found({"src/grid/map/map.h": text}, f"<{name}> belongs to lib/os")
            self.assert_found({"src/lib/os/clock.h": text})

    def test_names_of_the_file_s_own_are_no_system_calls(self):
        self.assert_call_found("apps/filbert/x.c", "int time = 0; run(time); int *read; run(read);")
        self.assert_call_found("apps/filbert/x.c", "int (*close)(int); run(close);")
        self.assert_call_found("apps/filbert/x.c", "READER(gets)")

    def test_include_by_a_macro_is_found(self):
        text = H_HEAD + "#define NAME <stdio.h>\n#include NAME\n"
        self.assert_found({"src/grid/map/map.h": text}, "map.h:4: #include NAME hides")

    def test_tests_do_not_sleep(self):
        self.assert_call_found("tests/unit/x.c", "usleep(10);", "usleep()")

    def test_only_programs_print(self):
        text = H_HEAD + "static inline void show(void)\n{\n    printf(a);\n}\n"
        self.assert_found({"src/grid/map/map.h": text}, "printf()")

    def test_jumps_are_for_tests_only(self):
        self.assert_call_found("tests/unit/x.c", "setjmp(a);")
        self.assert_call_found("apps/filbert/x.c", "setjmp(a);", "setjmp()")

    def test_members_comments_strings_and_attributes_are_no_calls(self):
        body = 'ops->free(x); ops.close(1); call("malloc(1)"); // free(x)\n    /* time(0) */'
        self.assert_call_found("apps/filbert/x.c", body)
        text = H_HEAD + "#define GIVES __attribute__((malloc(release, 1)))\n"
        self.assert_found({"src/lib/base/alloc.h": text})

    def test_callback_is_no_system_call(self):
        text = C_HEAD + "static int run(write_fn write)\n{\n    return write(1);\n}\n"
        self.assert_found({"apps/filbert/x.c": text})

    def test_words_without_a_home_are_found(self):
        self.assert_call_found("tests/unit/x.c", "volatile int a;", "volatile is banned")
        self.assert_call_found("apps/filbert/x.c", '__asm__("pause");', "__asm__ is banned")
        body = "atomic_thread_fence(memory_order_seq_cst);"
        self.assert_call_found("apps/filbert/x.c", body, "atomic_thread_fence is banned")
        self.assert_call_found("apps/filbert/x.c", "__sync_synchronize();", "__sync_synchronize")

    def test_function_with_linkage_has_the_prefix(self):
        text = H_HEAD + "int grow(void)\n{\n    return 0;\n}\n"
        self.assert_found({"src/grid/map/map.h": text}, "grow has linkage")

    def test_typedef_of_a_struct_is_found(self):
        text = H_HEAD + "typedef struct fil_map fil_map;\n"
        self.assert_found({"src/grid/map/map.h": text}, "map.h:3: no typedef")

    def test_header_without_guard_is_found(self):
        self.assert_found({"src/grid/map/map.h": C_HEAD}, "#pragma once")

    def test_missing_licence_is_found(self):
        self.assert_found({"src/grid/map/map.h": "#pragma once\n"}, "the first line is")
        self.assert_found({"tools/new": "#!/usr/bin/env bash\ntrue\n"}, "the first line is")

    def test_ugly_lines_are_found(self):
        text = H_HEAD + "int a; \nint b;\r\n// " + "x" * 100 + "\nint c;"
        wanted = ("map.h:3: blanks", "map.h:4: the line ends", "map.h:5: 103 columns", "map.h:6: ")
        self.assert_found({"src/grid/map/map.h": text}, *wanted)

    def test_raw_inputs_may_be_ugly(self):
        self.assert_found({"tests/fuzz/corpus/resp/1": "x \r\n", "tests/config/1.yaml": "a: \t"})

    def test_table_laid_out_by_hand_may_be_wide(self):
        wide = "// " + "x" * 100 + "\n"
        text = H_HEAD + "// clang-format off\n" + wide + "// clang-format on\n"
        self.assert_found({"src/grid/map/map.h": text})
        self.assert_found({"src/grid/map/map.h": text + wide}, "103 columns")

    def test_leftover_is_found(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X"):
            text = H_HEAD + f"// {word}: later\n"
            self.assert_found({"src/grid/map/map.h": text}, "a leftover")

    def test_source_nobody_builds_is_found(self):
        self.assert_found({"src/lib/base/new.c": C_HEAD}, "nobody builds it")

    def test_test_nobody_runs_is_found(self):
        self.assert_found({"tests/unit/lib/base/new_test.c": C_HEAD}, "nobody runs it")
        self.assert_found({"tests/fuzz/new_fuzz.c": C_HEAD}, "nobody runs it")

    def test_dependency_against_the_layers_is_found(self):
        text = CLEAN["src/CMakeLists.txt"].replace("alloc.c)", "alloc.c DEPENDS lib/os)")
        self.assert_found({"src/CMakeLists.txt": text}, "lib/base may not depend on lib/os")


# What the packages of group build in packages.txt bring, and a shell.
BUILD_PROGRAMS = "cmake ninja gcc as ld ar ranlib nm strip objcopy objdump readelf sh uname".split()


def configure_with(programs):
    """Configures the release where there are only these programs; libraries are as they are."""
    multiarch = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True,
                               check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bin")
        os.mkdir(path)
        for name in programs:
            os.symlink(shutil.which(name), os.path.join(path, name))
        return subprocess.run(
            ["cmake", "--preset", "release", "-B", os.path.join(folder, "build"),
             "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF", "-DCMAKE_INCLUDE_PATH=/usr/include",
             f"-DCMAKE_LIBRARY_PATH=/usr/lib/{multiarch}"],
            cwd=os.path.dirname(TOOLS), env={**os.environ, "PATH": path},
            capture_output=True, text=True, check=False)


class BuildTest(unittest.TestCase):
    """A machine with nothing but what tools/setup build installs."""

    def test_release_is_configured_without_the_packages_of_the_tests(self):
        result = configure_with(BUILD_PROGRAMS)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_program_that_is_missing_is_noticed(self):
        self.assertNotEqual(configure_with(set(BUILD_PROGRAMS) - {"gcc"}).returncode, 0)


class SymbolsTest(unittest.TestCase):
    """Small objects, and what they take from outside."""

    RULES = "# comment\nstrlen yaml_*  # both\nmalloc: lib/base/alloc.c\nnghttp2_*: protocol/http/\n"
    CALLS = {
        "lib/base/alloc.c": "void *malloc(unsigned long);\n"
        "void *fil_alloc(void) { return malloc(8); }\n",
        "lib/os/clock.c": "long time(long *);\nlong fil_now(void) { return time(0); }\n",
        "core/use.c": "long fil_now(void);\nunsigned long strlen(const char *);\n"
        "long fil_use(const char *t) { return fil_now() + (long)strlen(t); }\n",
    }

    def found(self, changes=None, skipped=()):
        files = {**self.CALLS, **(changes or {})}
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, "build", "dev")
            for path, text in files.items():
                source = os.path.join(root, "src", path)
                target = os.path.join(folder, "src", "CMakeFiles", "x.dir", path + ".o")
                os.makedirs(os.path.dirname(source), exist_ok=True)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(source, "w", encoding="utf-8") as file:
                    file.write(text)
                if path not in skipped:
                    command = ["cc", "-O0", "-fno-builtin", "-c", source, "-o", target]
                    subprocess.run(command, check=True)
            return symbols.findings(root, folder, symbols.read_rules(self.RULES))

    def assert_found(self, found, *wanted):
        self.assertEqual(len(found), len(wanted), found)
        for message, text in zip(found, wanted):
            self.assertIn(text, message)

    def test_objects_that_keep_to_the_list_are_clean(self):
        self.assert_found(self.found({"protocol/http/two.c": "int nghttp2_x(void);\n"
                                      "int fil_two(void) { return nghttp2_x(); }\n"}))

    def test_call_that_is_not_listed_is_found_however_it_is_written(self):
        for text in (
            "long time(long *);\n#define NOW time\nlong fil_x(void) { return NOW(0); }\n",
            "long time(long *);\nlong (*fil_x)(long *) = time;\n",
        ):
            found = self.found({"core/x.c": text})
            self.assert_found(found, "src/core/x.c: takes time from outside")

    def test_call_outside_of_its_home_is_found(self):
        text = "void *malloc(unsigned long);\nvoid *fil_x(void) { return malloc(1); }\n"
        found = self.found({"lib/base/allocate.c": text, "core/x.c": text.replace("fil_x", "fil_y")})
        self.assert_found(found, "src/core/x.c: takes malloc", "src/lib/base/allocate.c: takes malloc")

    def test_source_without_an_object_is_not_overlooked(self):
        found = self.found(skipped=("core/use.c",))
        self.assert_found(found, "src/core/use.c: not built: tools/build dev")


class FunctionsTest(unittest.TestCase):
    """What --report measures."""

    TEXT = """
static int grow(struct fil_map *map, int (*step)(int, int), int count) FIL_RUNS_ON(io)
{
    fil_assert(map != NULL);
    struct fil_row row = {.a = 1, .b = {2}};
    for (;;) {
        if (count) {
            call("}");
        }
    }
}

struct fil_other {
    int a;
};

void fil_map_free(void)
{
}
"""

    def test_functions_are_measured(self):
        grow, free = csource.functions(self.TEXT)
        self.assertEqual((grow.name, grow.line, grow.lines), ("grow", 2, 10))
        self.assertEqual((grow.parameters, grow.nesting, grow.assertions), (3, 2, 1))
        self.assertTrue(grow.is_static)
        self.assertEqual((free.name, free.lines, free.parameters), ("fil_map_free", 3, 0))
        self.assertFalse(free.is_static)


class SummaryTest(unittest.TestCase):
    """What tools/test-summary counts."""

    def assert_counted(self, cases, last_line, code):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f"<testsuite>{cases}</testsuite>")
            file.flush()
            command = [os.path.join(TOOLS, "test-summary"), file.name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.splitlines()[-1], last_line, done.stdout + done.stderr)
        self.assertEqual(done.returncode, code)
        return done.stdout

    @staticmethod
    def case(status, output, inside=""):
        text = f"<system-out>{output}</system-out>"
        return f'<testcase name="x" time="0.1" status="{status}">{inside}{text}</testcase>'

    def test_each_promise_counts(self):
        cmocka = "[ RUN      ] a\n[       OK ] a\n[       OK ] b\n"
        unittest_output = "Ran 5 tests in 0.1s\n\nOK (skipped=1)\n"
        plain = "7 passed, 0 failed\n"
        cases = [self.case("run", o) for o in (cmocka, unittest_output, plain, "says nothing")]
        self.assert_counted("".join(cases), "14 passed, 0 failed", 0)

    def test_failures_count_once(self):
        cmocka = "[       OK ] a\n[  FAILED  ] b\n[  FAILED  ] 1 test(s), listed:\n[  FAILED  ] b\n"
        unittest_output = "Ran 4 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n"
        cases = self.case("fail", cmocka) + self.case("fail", unittest_output)
        self.assert_counted(cases, "3 passed, 3 failed", 1)

    def test_program_that_dies_has_failed(self):
        self.assert_counted(self.case("fail", "[       OK ] a\n"), "1 passed, 1 failed", 1)

    def test_failure_counts_whatever_the_exit_code_says(self):
        self.assert_counted(self.case("run", "2 passed, 1 failed\n"), "2 passed, 1 failed", 1)

    def test_missing_program_has_failed_and_a_skipped_one_has_not(self):
        missing = self.case("notrun", "", '<skipped message="Unable to find executable"/>')
        skipped = self.case("notrun", "", '<skipped message="SKIP_RETURN_CODE=77"/>')
        self.assert_counted(missing + skipped, "0 passed, 1 failed", 1)

    def test_what_was_skipped_is_told_with_its_reason(self):
        output = "SKIPPED a.b: no place\nRan 2 tests in 0.1s\n\nOK (skipped=2)\n"
        shown = self.assert_counted(self.case("run", output) + self.case("run", "says nothing"),
                                    "1 passed, 0 failed", 0)
        self.assertIn("test: 1 skipped in x: no place\n", shown)
        self.assertIn("test: 1 skipped in x: no reason is told\n", shown)
        self.assertIn("test: 2 skipped in all\n", shown)

    def test_no_tests_at_all_is_a_failure(self):
        self.assert_counted("", "0 passed, 0 failed", 1)


def tidy_layers():
    """The real layers but for the first module, which a test replaces."""
    with open(os.path.join(TOOLS, "layers.txt"), encoding="utf-8") as file:
        return file.read().replace("\nlib/base:\n", "\n")


if __name__ == "__main__":
    unittest.main()
