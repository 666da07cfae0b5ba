#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the commands besides start say: help, version, and the configuration and its origins.

A later source wins over an earlier one and is named; a mistake is named with file, line and
column; all mistakes come in one run; the reference in docs/ is what the program prints.
"""
import glob
import os
import re
import subprocess
import tempfile
import unittest

import member
from member import ROOT, run, run_program, wait_until


def show(*arguments, environment=None):
    result = run("config", "show", *arguments, environment=environment)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


class Help(unittest.TestCase):
    def test_help_lists_every_command(self):
        for words in (["--help"], ["help"], ["-h"]):
            result = run(*words)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            for command in ("start", "config show", "config check", "config docs", "version"):
                self.assertRegex(result.stdout.decode(), rf"(?m)^  {command} ")

    def test_help_of_a_command_tells_its_flags(self):
        result = run("help", "start")
        self.assertEqual(result.returncode, 0)
        for flag in ("--config FILE", "--listen ADDRESS:PORT", "--set NAME=VALUE"):
            self.assertIn(flag, result.stdout.decode())
        self.assertEqual(run("start", "--help").stdout, result.stdout)
        self.assertIn("--origin", run("help", "config").stdout.decode())

    def test_value_of_a_flag_is_no_wish_for_help(self):
        for word in ("-h", "--help"):
            result = run("config", "check", "--config", word)
            self.assertEqual(result.returncode, 1)
            self.assertNotIn(b"assertion failed", result.stderr)
            self.assertEqual(result.stdout, b"")
            self.assertIn(word, result.stderr.decode())
            result = run("config", "show", "--origin", word)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertTrue(result.stdout.startswith(b"usage: filbert config show"))

    def test_version_is_one_line(self):
        for word in ("version", "--version"):
            result = run(word)
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertRegex(result.stdout.decode(), r"\Afilbert \d+\.\d+\.\d+\n\Z")

    def test_reference_in_docs_is_what_the_program_prints(self):
        with open(os.path.join(ROOT, "docs", "configuration.md"), "rb") as file:
            written = file.read()
        self.assertEqual(run("config", "docs").stdout, written)


class FullOutput(unittest.TestCase):
    def test_what_cannot_be_printed_is_a_failure(self):
        for arguments in (("help",), ("--help",), ("start", "--help"), ("help", "bench", "resp"),
                          ("version",), ("--version",), ("config", "show"), ("config", "docs"),
                          ("config", "check"), ("config", "show", "--origin")):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                result = subprocess.run(
                    [member.binary(), *arguments],
                    env=member.clean_environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=member.GUARD,
                    check=False,
                )
                self.assertEqual(result.returncode, 1)
                self.assertEqual(
                    result.stderr, b"filbert: cannot write to the standard output\n"
                )


class Values(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "member.yaml")

    def _write(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)

    def test_show_is_a_configuration_that_shows_the_same(self):
        shown = show("--set", "net.io_threads=7", "--set", "member.name=a: 'b' #c")
        self._write(shown)
        self.assertEqual(show("--config", self.path), shown)
        self.assertIn("io_threads: 7\n", shown)

    def test_path_that_is_no_file_is_explained(self):
        folder = os.path.dirname(self.path)
        os.symlink("loop", os.path.join(folder, "loop"))
        cases = {
            folder: "it is a folder, a pipe or a device: name a file",
            "/dev/null": "it is a folder, a pipe or a device: name a file",
            os.path.join(folder, "loop"): "its links lead in a circle",
            os.path.join(folder, "x" * 300): "its name is too long",
            self.path: "no such thing: check the name",
            "/proc/self/mem": "reading it failed",
        }
        if os.geteuid() != 0:
            os.close(os.open(self.path + ".secret", os.O_CREAT, 0))
            cases[self.path + ".secret"] = "denied it: check permissions"
        for path, why in cases.items():
            with self.subTest(path=path):
                for arguments in (("config", "check", "--config", path), ("serve", path)):
                    result = run(*arguments)
                    self.assertEqual((result.returncode, result.stdout), (1, b""))
                    self.assertIn(why, result.stderr.decode())
                    self.assertEqual(result.stderr.count(b"\n"), 1)

    def test_later_sources_win_and_are_named(self):
        self._write("net:\n  io_threads: 2\n  backlog: 11\n  connections_max: 100\n")
        environment = {"FILBERT_NET__BACKLOG": "22", "FILBERT_NET__CONNECTIONS_MAX": "200"}
        flags = ["--set", "net.connections_max=300"]
        shown = show("--origin", "--config", self.path, *flags, environment=environment)
        values = dict(line.strip().split(": ", 1) for line in shown.splitlines() if ": " in line)
        # (value, origin)
        found = {name: tuple(w.strip() for w in v.split("#")) for name, v in values.items()}
        self.assertEqual(found["io_threads"][0], "2")
        self.assertIn(f"{self.path}:2", found["io_threads"][1])
        self.assertEqual(found["backlog"][0], "22")
        self.assertIn("FILBERT_NET__BACKLOG", found["backlog"][1])
        self.assertEqual(found["connections_max"][0], "300")
        self.assertIn("--set", found["connections_max"][1])
        self.assertEqual(found["idle"], ("block", "default"))

    def test_running_member_uses_what_show_says(self):
        self._write("member.name: from-file\ncluster.name: from-file\nlog.level: warn\n")
        environment = {"FILBERT_CLUSTER__NAME": "from-environment", "FILBERT_LOG__LEVEL": "error"}
        started = member.Member(
            {"log.level": "debug"}, arguments=["--config", self.path], environment=environment
        )
        try:
            self.assertIn('member "from-file"   cluster "from-environment"', started.screen)
            self.assertIn(f"config    {self.path};", started.screen)
            level = started.command("CONFIG", "GET", "log.level")
            self.assertEqual(level, [b"log.level", b"debug"])
        finally:
            started.stop()

    def test_check_accepts_what_is_right(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "tests/config/good/*.yaml"))):
            with self.subTest(path=path):
                result = run("config", "check", "--config", path)
                self.assertEqual(result.stderr, b"")
                self.assertEqual(result.stdout, b"the configuration is valid\n")
                self.assertEqual(result.returncode, 0)

    def test_all_mistakes_of_all_sources_come_in_one_run(self):
        self._write("net:\n  io_thread: 2\nmemory:\n  limit: much\n")
        environment = {"FILBERT_NET__IDLE": "doze"}
        flags = ["--set", "stop.timeout=soon", "--listen", "nowhere"]
        for command in (["config", "check"], ["start"]):
            result = run(*command, "--config", self.path, *flags, environment=environment)
            lines = result.stderr.decode().splitlines()
            self.assertEqual((result.returncode, result.stdout), (1, b""))
            self.assertEqual(len(lines), 5, lines)
            self.assertRegex(lines[0], rf"^filbert: {self.path}:2:3: .*io_thread.*net\.io_threads")
            self.assertRegex(lines[1], rf"^filbert: {self.path}:4:10: .*memory\.limit.*much")
            self.assertRegex(lines[2], r"^filbert: .*FILBERT_NET__IDLE.*doze")
            self.assertRegex(lines[3], r"^filbert: .*--set.*stop\.timeout.*soon")
            self.assertRegex(lines[4], r"^filbert: .*--listen.*nowhere")

    def test_variables_of_others_are_told_and_do_not_keep_a_member_from_starting(self):
        environment = {"FILBERT_ADDRESS": "127.0.0.1:1", "FILBERT_PORT": "tcp://10.0.0.1:5701"}
        environment["FILBERT_SERVICE_PORT"] = "5701"
        result = run("config", "check", environment=environment)
        told = "the configuration is valid\nignored: 2 variables that are no options, such as"
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertRegex(result.stdout.decode(), rf"\A{told} FILBERT_(PORT|SERVICE_PORT)\n\Z")
        started = member.Member(environment=environment)
        pattern = re.compile(r"event=variables_ignored first=FILBERT_\w+ count=2")
        try:
            wait_until(lambda: pattern.search(started.log_text()), "the warning")
        finally:
            started.stop()

    def test_missing_file_is_named(self):
        result = run("start", "--config", self.path)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(self.path, result.stderr.decode())


class RefusedStarts(unittest.TestCase):
    def test_reason_stands_before_the_last_word(self):
        for setting in ("service.filters=x", "executor.packages=x.so"):
            for _ in range(20):  # the log has a thread of its own
                result = run("start", "--listen", "127.0.0.1:0", "--set", setting)
                lines = result.stderr.decode().splitlines()
                self.assertEqual((result.returncode, len(lines)), (1, 2), lines)
                self.assertIn(setting.split("=", maxsplit=1)[0], lines[0])
                self.assertIn("see the messages before this one", lines[1])


class BrokenFiles(unittest.TestCase):
    def test_each_broken_file_is_told_with_line_and_column(self):
        folder = os.path.join(ROOT, "tests", "config", "broken")
        names = sorted(n for n in os.listdir(folder) if n.endswith(".yaml"))
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(name=name):
                with open(os.path.join(folder, name[:-5] + ".golden"), encoding="utf-8") as file:
                    golden = file.read()
                result = run_program(
                    ["env", "-C", folder, member.binary(), "config", "check", "--config", name]
                )
                self.assertEqual((result.returncode, result.stdout), (1, b""))
                wanted = [f"filbert: {line}" for line in golden.splitlines()]
                self.assertEqual(result.stderr.decode().splitlines(), wanted)

    def test_member_does_not_start_with_a_broken_file(self):
        path = os.path.join(ROOT, "tests", "config", "broken", "01-unknown-option.yaml")
        result = run("start", "--listen", "127.0.0.1:0", "--config", path)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertRegex(result.stderr.decode(), rf"^filbert: {path}:\d+:\d+: ")


if __name__ == "__main__":
    member.main()
