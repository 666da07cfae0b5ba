#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The promises of the code the benchmarks share: how samples become verdicts.

Ratios pair the rounds; a bar knows its limit; a missed bar fails the program only with --check and
never with --quick; what is set up wrong ends with code 2; processor time counts every thread,
the ended ones too; load that went wrong is no sample.
"""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lab
import load
import process
import program
import report
import server


def make_report(value, is_quick=False):
    found = report.Report("sample", is_quick)
    found.add_table("Title", ["", "figure"], [["row", "1"]])
    found.add_bar("figure", value, "<=", 1.0)
    return found


def exit_code(measure, **options):
    """What a program with these options ends with."""
    arguments = argparse.Namespace(**{"check": False, "json": None, **options})
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            program.run(measure, arguments)
        except SystemExit as ended:
            return ended.code
    raise AssertionError("the program did not end")


class ReportTest(unittest.TestCase):
    def test_ratios_pair_the_rounds(self):
        self.assertEqual(report.ratios([2, 30], [1, 10]), [2, 3])
        with self.assertRaises(ValueError):
            report.ratios([1], [1, 2])

    def test_bars_include_or_exclude_their_limit(self):
        verdicts = {
            relation: [report.Bar("", value, relation, 2).is_met() for value in (1, 2, 3)]
            for relation in (">=", "<=", "<", "=")
        }
        self.assertEqual(verdicts[">="], [False, True, True])
        self.assertEqual(verdicts["<="], [True, True, False])
        self.assertEqual(verdicts["<"], [True, False, False])
        self.assertEqual(verdicts["="], [False, True, False])

    def test_columns_are_straight(self):
        lines = report.layout(["", "a"], [["long name", "1"], ["b", "1 000"]]).split("\n")
        self.assertEqual(len({len(line) for line in lines}), 1)
        self.assertEqual(lines[1], "| --------- | ----: |")
        self.assertEqual(lines[3], "| b         | 1 000 |")


class ProgramTest(unittest.TestCase):
    def test_missed_bar_fails_only_with_check(self):
        self.assertEqual(exit_code(lambda _: make_report(1.1)), 0)
        self.assertEqual(exit_code(lambda _: make_report(1.1), check=True), 1)
        self.assertEqual(exit_code(lambda _: make_report(1.0), check=True), 0)

    def test_quick_judges_nothing(self):
        self.assertEqual(exit_code(lambda _: make_report(1.1, is_quick=True), check=True), 0)

    def test_what_cannot_run_ends_with_two(self):
        def fail(_):
            raise program.BenchError("no such thing")

        self.assertEqual(exit_code(fail), 2)
        self.assertEqual(exit_code(fail, check=True), 2)

    def test_json_holds_samples_and_verdicts(self):
        with tempfile.NamedTemporaryFile() as file:
            found = make_report(1.1)
            found.samples = {"row": [1.0, 1.2]}
            exit_code(lambda _: found, json=file.name)
            content = json.load(file)
        self.assertEqual(content["samples"], {"row": [1.0, 1.2]})
        self.assertEqual([bar["met"] for bar in content["bars"]], [False])


class LabTest(unittest.TestCase):
    def run_script(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "binary")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
            return lab.run(path, "kernel", "--quick")

    def test_what_the_binary_prints_is_read(self):
        self.assertEqual(self.run_script("""echo "[\\"$1 $2 $3\\"]" """), ["bench kernel --quick"])

    def test_binary_that_fails_is_told_with_its_words(self):
        with self.assertRaisesRegex(program.BenchError, "kernel --quick failed:\nno luck"):
            self.run_script("echo no luck >&2; exit 1")


class FilbertBenchTest(unittest.TestCase):
    CASE = load.Case("mget", 4, 100)

    def run_script(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "binary")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{text}\n")
            os.chmod(path, 0o755)
            return load.FilbertBench(path).run(1234, self.CASE, 500, None, 0.25)

    def test_case_becomes_flags_and_json_a_sample(self):
        flags = (
            "--address 127.0.0.1:1234 --command mget --connections 50 --pipeline 4 --batch 100"
            " --keys 500 --value-size 100 --duration 250ms"
        )
        script = f"""case "$*" in *"{flags}"*)
            echo '{{"requests": 12, "ops_per_s": 3.5, "misses": 0}}';; esac"""
        self.assertEqual(self.run_script(script), (12, 3.5))

    def test_misses_are_no_sample(self):
        with self.assertRaisesRegex(program.BenchError, "lacks keys: 3 misses"):
            self.run_script("""echo '{"requests": 12, "ops_per_s": 3.5, "misses": 3}'""")

    def test_failure_is_told_with_its_words(self):
        with self.assertRaisesRegex(program.BenchError, "failed:\nno luck"):
            self.run_script("echo no luck >&2; exit 1")

    def test_case_names_tell_keys_and_pipeline(self):
        self.assertEqual(self.CASE.name, "MGET of 100, pipeline 4")
        self.assertEqual(load.Case("get", 1).name, "GET")


class ServerTest(unittest.TestCase):
    def test_free_port_cannot_be_an_outgoing_one(self):
        first, last = process.ephemeral_ports()
        for _ in range(20):
            self.assertFalse(first <= server.free_port() <= last)

    def test_server_that_cannot_start_is_told_with_its_output(self):
        broken = server.Server(
            "broken", lambda *_: ["sh", "-c", "echo no luck; exit 1"], server.is_resp_ready
        )
        with self.assertRaisesRegex(program.BenchError, "broken did not start:\nno luck"):
            broken.__enter__()


WORK_NS = 100_000_000


class ProcessTest(unittest.TestCase):
    def setUp(self):
        self.has_worked = threading.Event()
        self.may_end = threading.Event()
        self.clock = process.CpuClock(os.getpid())
        self.worker = threading.Thread(target=self.work)
        self.worker.start()
        self.has_worked.wait()

    def tearDown(self):
        self.may_end.set()
        self.worker.join()

    def work(self):
        # Processor time, not time: a busy machine changes nothing.
        while time.thread_time_ns() < WORK_NS:
            pass
        self.has_worked.set()
        self.may_end.wait()

    def test_time_of_other_threads_counts(self):
        self.assertGreaterEqual(self.clock.elapsed_ns(), WORK_NS)

    def test_time_of_ended_threads_counts(self):
        self.tearDown()
        self.assertGreaterEqual(self.clock.elapsed_ns(), WORK_NS - 3 * process.tick_ns())


class FootprintTest(unittest.TestCase):
    def test_footprint_of_this_process(self):
        pid = os.getpid()
        before = process.descriptor_count(pid)
        with open(os.devnull, "rb"):
            self.assertEqual(process.descriptor_count(pid), before + 1)
        self.assertGreater(process.resident_bytes(pid), 1 << 20)


class RedisCompareTest(unittest.TestCase):
    """Which bars belong to which generator."""

    @classmethod
    def setUpClass(cls):
        path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                            "redis_compare")
        loader = importlib.machinery.SourceFileLoader("redis_compare", path)
        cls.program = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("redis_compare", loader))
        sys.modules["redis_compare"] = cls.program  # dataclasses look there
        loader.exec_module(cls.program)

    def judge(self, part, ratio):
        """What the part's bars say of one ratio everywhere, and its cases."""
        cases = [case for case in self.program.CASES if part.has_case(case)]
        found = {unit: dict.fromkeys(cases, ratio) for unit in ("ops/s", "ns/op")}
        judged = report.Report("redis_compare", False)
        self.program.add_bars(judged, part, cases, found)
        return judged, cases

    def test_both_generators_are_judged_by_bars_of_their_own(self):
        store, first = self.program.make_parts("both", "filbert")
        judged, cases = self.judge(first, 0.95)
        self.assertEqual([case.name for case in cases],
                         ["GET", "SET", "GET, pipeline 16", "SET, pipeline 16"])
        bars = {bar.name.split(", filbert")[0]: (bar.relation, bar.limit) for bar in judged.bars}
        cost = {"GET": 0.9, "SET": 0.9, "GET, pipeline 16": 0.5, "SET, pipeline 16": 0.5}
        self.assertEqual(bars, {f"{case}: ops/s": (">=", 1.0) for case in cost} |
                         {f"{case}: ns/op": ("<=", limit) for case, limit in cost.items()})
        self.assertTrue(judged.has_missed())
        judged, cases = self.judge(store, 1.0)
        self.assertEqual(len(cases), len(self.program.CASES))
        self.assertTrue(all("filbert bench resp" in bar.name for bar in judged.bars))
        self.assertIn(2.2, [bar.limit for bar in judged.bars])

    def test_one_generator_can_be_chosen(self):
        names = {"filbert": "filbert bench resp", "redis-benchmark": "redis-benchmark"}
        for chosen, name in names.items():
            part, = self.program.make_parts(chosen, "filbert")
            self.assertEqual(part.generator.name, name)
            self.assertTrue(part.has_case(load.Case("incr", 64)))


if __name__ == "__main__":
    unittest.main()
