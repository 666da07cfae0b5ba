#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packages. Of jobs: `filbert job run` says precisely why one cannot be used; a member loads those
of its folder and no others, runs and cancels them, and lives on when one is bad. Of functions: a
member that cannot load one does not start, and says why; clients run the others.
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import member
from member import MemberTest, wait_until

PACKAGES = pathlib.Path(os.environ.get("FILBERT_PACKAGES", "build/dev/tests/packages")).resolve()
FAULTS = {
    "half": "it has no 'fil_package', so it is no job package: see FIL_PACKAGE",
    "mistake": "stage 'list-1': it needs a type",
    "no_build": "it has no function that builds a pipeline",
    "no_symbol": "it has no 'fil_package_abi', so it is no job package: see FIL_PACKAGE",
    "other_version": "it is built for version 7 of packages, this is version 1: build it again",
    "refuses": "its build function says: the operating system denied it: check permissions",
    "unknown_function": "it cannot be loaded: undefined symbol: fil_stage_of_tomorrow",
}


def run(*words):
    result = member.run("job", *words)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class Alone(unittest.TestCase):
    def test_faults_are_told(self):
        for name, reason in FAULTS.items():
            path = f"{PACKAGES}/{name}.so"
            self.assertEqual(run("run", path), (1, "", f"filbert: {path}: {reason}\n"))

    def test_other_files_are_no_packages(self):
        with tempfile.NamedTemporaryFile("w", suffix=".so") as file:
            self.assertEqual(
                run("run", file.name),
                (1, "", f"filbert: {file.name}: it cannot be loaded: file too short\n"),
            )
            file.write("job: x\n" * 100)
            file.flush()
            self.assertEqual(
                run("run", file.name),
                (1, "", f"filbert: {file.name}: it cannot be loaded: invalid ELF header\n"),
            )
        # A name without a path is one of this folder, not of the linker's.
        self.assertEqual(
            run("run", "libc.so.6.so"), (1, "", "filbert: libc.so.6.so: there is no such file\n")
        )

    def test_graph_is_drawn(self):
        code, output, _ = run("graph", f"{PACKAGES}/endless.so")
        self.assertEqual(code, 0)
        self.assertIn("generator-1", output)


class InMember(MemberTest):
    def command(self, server, *words):
        address = f"127.0.0.1:{server.port}"
        return run(*words, "--address", address, "--timeout", "60s")

    def submit(self, server, name):
        return self.command(server, "submit", name, "--package")

    def test_member_runs_packages_of_its_folder(self):
        server = self.start_member({"stream.packages": PACKAGES})
        for name, reason in FAULTS.items():
            self.assertEqual(
                self.submit(server, f"{name}.so"), (1, "", f"{name}.so: {reason}\n")
            )
        for name in ("../packages/endless.so", f"{PACKAGES}/endless.so", ".", ".endless.so"):
            self.assertEqual(
                self.submit(server, name),
                (
                    1,
                    "",
                    f"{name}: a package is named by its file in the folder, without a path\n",
                ),
            )
        self.assertEqual(
            self.submit(server, "none.so"), (1, "", "none.so: there is no such file\n")
        )
        self.assertEqual(self.submit(server, "endless.so"), (0, "endless\n", ""))
        wait_until(
            lambda: "running" in self.command(server, "status", "endless")[1], "the job"
        )
        self.assertEqual(self.submit(server, "endless.so")[0], 1)
        self.assertEqual(self.command(server, "cancel", "endless")[0], 0)
        self.assertEqual(self.command(server, "forget", "endless")[0], 0)
        self.assertEqual(self.submit(server, "endless.so"), (0, "endless\n", ""))

    def test_member_without_a_folder_loads_none(self):
        self.assertEqual(
            self.submit(self.start_member(), "endless.so"),
            (1, "", "endless.so: this member has no folder of packages: set stream.packages\n"),
        )


class Functions(MemberTest):
    FAULTS = {
        "endless.so": "it has no functions: see FIL_PACKAGE_FUNCTIONS",
        "functions_twice.so": "its function 'echo' is refused: it exists already: choose another "
                              "name",
        "functions_version.so": "it is built for version 7 of functions, this is version 1: build "
                                "it again",
        "none.so": "there is no such file",
        "../packages/functions.so": "a package is named by its file in stream.packages",
    }

    def test_faults_are_told_at_the_start(self):
        for name, reason in self.FAULTS.items():
            result = member.run(
                "start", "--listen", "127.0.0.1:0", "--set", f"stream.packages={PACKAGES}",
                "--set", f"executor.packages=functions.so {name}",
            )
            self.assertEqual(result.returncode, 1)
            self.assertNotIn(b"assertion failed", result.stderr)
            self.assertIn(reason, (result.stdout + result.stderr).decode())

    def test_clients_run_them(self):
        python = os.path.join(member.ROOT, ".clients", "python", "bin", "python")
        if not os.path.exists(python):
            self.skipTest("the library is not here: run tests/clients/setup")
        server = self.start_member(
            {"stream.packages": PACKAGES, "executor.packages": "functions.so"}
        )
        program = f"""
import hazelcast
client = hazelcast.HazelcastClient(cluster_members=["127.0.0.1:{server.port}"])
executor = client.get_executor("work").blocking()
print(executor.execute_on_key_owner("key", "letters hello"))
try:
    executor.execute_on_key_owner("key", "refuse")
except hazelcast.errors.HazelcastError as error:
    print("it never does anything" in str(error))
client.shutdown()
"""
        result = subprocess.run([python, "-c", program], capture_output=True, text=True,
                                timeout=60, check=False)
        self.assertEqual(result.stdout, "5\nTrue\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
