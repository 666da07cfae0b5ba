#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an operator sees when handlers sleep where they should not: the sleeper's route and system
call in the log and on a page, few lines for many sleeps, figures that are right while every loop is
held, pages that answer then, and in tests a process that ends with a report.
"""
import os
import re
import signal
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request

import member
from member import wait_until


class Sleeper:
    """The benchmarks' service: GET /block-inline sleeps for 50 ms on its loop."""

    def __init__(self, **environment):
        path = os.path.join(os.path.dirname(member.binary()), "bench-service")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("FILBERT_")}
        self.log = []
        self.ports = {}
        self.process = subprocess.Popen(
            [path],
            env={
                **clean,
                "FILBERT_NET__LISTEN": "127.0.0.1:0",
                "FILBERT_ADMIN__LISTEN": "127.0.0.1:0",
                "FILBERT_NET__IO_THREADS": "1",
                "FILBERT_LOG__FORMAT": "logfmt",
                **environment,
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        wait_until(lambda: len(self.ports) == 2, "both ports")

    def _read(self):
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r"event=(\w*listening) address=127.0.0.1:(\d+)", line)
            if found:
                self.ports[found.group(1)] = int(found.group(2))

    def get(self, target, port="listening"):
        url = f"http://127.0.0.1:{self.ports[port]}{target}"
        with urllib.request.urlopen(url, timeout=member.GUARD) as response:
            return response.read().decode()

    def page(self, target):
        return self.get(target, "admin_listening")

    def metric(self, name, labels):
        found = re.search(rf"(?m)^{name}{{{labels}}} (\S+)$", self.page("/metrics"))
        return float(found.group(1))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=member.GUARD)
        self.reader.join()
        self.process.stderr.close()
        return code


class Clients:
    """Sit in a route until told to leave."""

    def __init__(self, sleeper, target, count):
        self.is_over = False
        self.threads = [
            threading.Thread(target=self._sit, args=(sleeper, target)) for _ in range(count)
        ]
        for thread in self.threads:
            thread.start()

    def _sit(self, sleeper, target):
        while not self.is_over:
            try:
                sleeper.get(target)
            except (OSError, urllib.error.URLError):
                return

    def leave(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()


class Blocking(unittest.TestCase):
    def start(self, **environment):
        sleeper = Sleeper(**environment)
        self.addCleanup(sleeper.process.wait)
        self.addCleanup(sleeper.process.kill)
        return sleeper

    def test_sleeper_is_named_while_every_loop_is_held(self):
        begin = time.monotonic()
        sleeper = self.start()
        clients = Clients(sleeper, "/block-inline", 4)
        try:
            wait_until(
                lambda: sleeper.metric("filbert_io_pending_events", 'thread="io/0"') > 0,
                "events that wait for the only loop",
            )
            wait_until(
                lambda: sleeper.metric("filbert_io_pending_oldest_seconds", 'thread="io/0"') > 0.01,
                "their age",
            )
            wait_until(
                lambda: sleeper.metric(
                    "filbert_blocking_seconds_total", 'kind="off_cpu",thread="io/0"'
                ) > 0.2,
                "the time that the loop was held",
            )
            for page in ("/loops", "/debug/slow-operations", "/slow"):
                wait_until(lambda p=page: "/block-inline" in sleeper.page(p), f"it on {page}")
        finally:
            clients.leave()
        self.assertEqual(sleeper.stop(), 0)
        lines = [line for line in sleeper.log if "event=slow_operation" in line]
        told = [line for line in lines if 'op="GET /block-inline"' in line]
        self.assertIn("thread=io/0", told[0])
        if "state=asleep" in told[0]:
            self.assertIn("nanosleep", told[0])
        # One line, then one for all repeats of five seconds, for each kind of them.
        windows = (time.monotonic() - begin) // 5 + 2
        self.assertLessEqual(len(told), 3 * windows)

    def test_thread_of_a_fixed_pool_is_named_too(self):
        sleeper = self.start(FILBERT_SERVICE__CPU_THREADS="1")
        sleeper.get("/block-cpu")
        wait_until(
            lambda: any('op="GET /block-cpu" thread=cpu/0' in line for line in sleeper.log),
            "the line about the pool's thread",
        )
        self.assertEqual(sleeper.stop(), 0)

    def test_admin_port_has_pages_only(self):
        sleeper = self.start()
        self.assertIn("ok", sleeper.page("/livez"))
        with self.assertRaises(urllib.error.HTTPError) as caught:
            sleeper.page("/hello")
        self.assertEqual(caught.exception.code, 404)
        caught.exception.close()
        self.assertEqual(sleeper.stop(), 0)

    def test_process_ends_with_a_report_where_that_is_wanted(self):
        sleeper = self.start(
            FILBERT_SLOW__ABORT_AFTER="20ms", FILBERT_SERVICE__ROUTES="GET /block-inline=cpu"
        )
        clients = Clients(sleeper, "/block-inline", 1)
        self.assertEqual(sleeper.process.wait(timeout=member.GUARD), -signal.SIGABRT)
        clients.leave()
        sleeper.reader.join()
        sleeper.process.stderr.close()
        self.assertIn("slow_abort_after", "".join(sleeper.log))


if __name__ == "__main__":
    unittest.main()
