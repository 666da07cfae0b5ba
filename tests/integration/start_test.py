#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a member begins and ends.

It tells on one screen what it is and what to do next, with colour on a terminal only; a signal
ends it with 0 after it has answered what it had received; what keeps it from starting is said in
one sentence.
"""
import contextlib
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import threading
import unittest

import member
from member import MemberTest, encode, run, run_program, wait_until

ESCAPE = "\033"


class FirstScreen(MemberTest):
    def test_screen_tells_what_runs_where_and_why(self):
        screen = self.start_member({"net.io_threads": 0}).screen
        version = run("version").stdout.decode().split()[1]
        self.assertIn(f'Filbert {version}   member "filbert"   cluster "dev"', screen)
        self.assertRegex(screen, r"(?m)^  listen +127\.0\.0\.1:\d+ ")
        self.assertRegex(
            screen, r"(?m)^  threads +1 acceptor, \d+ io \(half of \d+ cores?.*net\.io_threads"
        )
        self.assertRegex(
            screen, r"(?m)^  memory +limit [\d.]+ [KMGT]iB \(80 % of .*memory\.limit"
        )
        self.assertRegex(screen, rf"(?m)^  config +no file; {member.binary()} config show --origin$"
        )

    def test_screen_counts_every_thread(self):
        started = self.start_member({"stream.workers": 3})
        self.assertIn("3 stream (set by stream.workers)", started.screen)
        threads = re.search(r"(?m)^  threads(.*\n            .*)+", started.screen).group()
        counts = re.findall(r"(\d+) (?:acceptor|\w+ \(|that mostly)", threads)
        self.assertEqual(sum(map(int, counts)), len(os.listdir(f"/proc/{started.pid}/task")))

    def test_screen_names_the_options_that_were_set(self):
        options = {
            "member.name": "hazel",
            "cluster.name": "wood",
            "net.io_threads": 2,
            "memory.limit": "64MiB",
        }
        screen = self.start_member(options).screen
        self.assertIn('member "hazel"   cluster "wood"', screen)
        self.assertIn("2 io (set by net.io_threads)", screen)
        self.assertIn("limit 64.0 MiB (set by memory.limit)", screen)

    def test_commands_on_the_screen_work_as_they_stand(self):
        screen = self.start_member().screen
        calls = re.sub(r"^ +", "", screen[screen.index("  try ") + 5 :], flags=re.M).splitlines()
        outputs = [run_program(shlex.split(call)).stdout.decode() for call in calls if call]
        self.assertEqual(outputs[:4], ["", "hello\n", "hello\n", "hello"])
        self.assertIn("<title>Filbert</title>", outputs[4])

    def test_screen_is_shown_when_the_member_is_ready(self):
        started = self.start_member()
        self.assertEqual(started.admin().get("/readyz")[0], 200)

    def test_pipe_gets_no_escape_codes(self):
        started = self.start_member({"log.format": "human"})
        self.assertNotIn(ESCAPE, started.screen)
        wait_until(lambda: "listening" in started.log_text(), "the log")
        self.assertNotIn(ESCAPE, started.log_text())

    def _read_terminal(self, environment):
        """What the member shows on a terminal until a SIGTERM has ended it."""
        parent, child = pty.openpty()
        process = subprocess.Popen(
            [member.binary(), "start", "--listen", "127.0.0.1:0"],
            env=member.clean_environment({"TERM": "xterm", **environment}),
            stdin=child,
            stdout=child,
            stderr=child,
            start_new_session=True,
        )
        os.close(child)
        shown = b""
        try:
            # A terminal whose last program has gone gives an error instead of an end.
            with contextlib.suppress(OSError):
                for data in iter(lambda: os.read(parent, 65536), b""):
                    shown += data
                    if b"curl http://" in shown and process.poll() is None:
                        process.terminate()
            self.assertEqual(process.wait(member.GUARD), 0)
        finally:
            process.kill()
            process.wait()
            os.close(parent)
        return shown.decode()

    def test_terminal_gets_colour(self):
        shown = self._read_terminal({})
        self.assertRegex(shown, r"\033\[1mFilbert [\d.]+\033\[0m")
        self.assertRegex(shown, r"INFO.*listening")
        self.assertNotIn("level=info", shown)

    def test_no_color_and_dumb_terminals_are_obeyed(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(environment=environment):
                shown = self._read_terminal(environment)
                self.assertIn("Filbert", shown)
                self.assertIn("listening", shown)
                self.assertNotIn(ESCAPE, shown)

    def test_screen_on_a_terminal_is_not_torn_by_the_log(self):
        shown = self._read_terminal({"NO_COLOR": "1", "FILBERT_LOG__LEVEL": "debug"})
        lines = shown.replace("\r\n", "\n").splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("  Filbert "))
        last = max(i for i, line in enumerate(lines) if "curl http://" in line)
        events = [i for i, line in enumerate(lines) if re.match(r"\d\d:\d\d:\d\d\.\d{3}Z ", line)]
        self.assertTrue(any("listening" in lines[i] for i in events if i < first), shown)
        self.assertFalse([i for i in events if first < i < last], shown)
        for line in lines[first : last + 1]:
            self.assertRegex(line, r"^$|^  \S|^            \S", shown)


class Stop(MemberTest):
    def _check_end(self, number, name):
        started = self.start_member()
        with started.connect() as idle:
            self.assertEqual(idle.command("PING"), "PONG")
            started.signal(number)
            self.assertEqual(idle.read_to_end(), b"")
        self.assertEqual(started.wait(), 0)
        log = started.log_text()
        self.assertIn(f"event=stopping signal={name}", log)
        self.assertIn("event=stopped connections_cut=0", log)
        with self.assertRaises(ConnectionRefusedError):
            started.connect()

    def _wait_to_be_alone(self, connection):
        """A second signal cuts also those whose end the member has not noticed yet."""

        def is_alone():
            return b"connected_clients:1\r\n" in connection.command("INFO", "clients")

        wait_until(is_alone, "the member to forget the connections that have ended")

    def test_sigterm_ends_it_well(self):
        self._check_end(signal.SIGTERM, "SIGTERM")

    def test_sigint_ends_it_well(self):
        self._check_end(signal.SIGINT, "SIGINT")

    def test_hangup_ends_it_well(self):
        self._check_end(signal.SIGHUP, "SIGHUP")

    def test_user_signal_changes_nothing(self):
        started = self.start_member()
        started.signal(signal.SIGUSR1)
        self.assertEqual(started.command("PING"), "PONG")

    def test_second_signal_cuts_what_the_first_would_wait_for(self):
        started = self.start_member({"stop.timeout": "1h", "net.stall_timeout": "1h"})
        started.command("SET", "large", b"v" * 8000000)
        with started.connect(receive_buffer=4096) as deaf:
            self._wait_to_be_alone(deaf)
            deaf.send(encode("GET", "large"))
            self.assertEqual(deaf.read(1), b"$")
            started.signal(signal.SIGTERM)
            member.wait_until(
                lambda: "event=stopping" in started.log_text() or None, "the stop to begin"
            )
            started.signal(signal.SIGTERM)
            self.assertEqual(started.wait(), 0)
        self.assertIn("event=stopped connections_cut=1", started.log_text())

    def test_requests_that_were_received_are_answered(self):
        started = self.start_member()
        connections = [started.connect() for _ in range(6)]
        commands = b"".join(encode("SET", f"key{i}", f"value{i}") for i in range(5000))
        for connection in connections:
            connection.send(commands)
        for connection in connections:
            wait_until(lambda c=connection: c.unsent_bytes() == 0, "the requests to arrive")
        started.signal()
        for connection in connections:
            self.assertEqual(connection.read_to_end(), b"+OK\r\n" * 5000)
            connection.close()
        self.assertEqual(started.wait(), 0)

    def test_who_waits_for_an_item_does_not_hold_up_the_end(self):
        started = self.start_member({"stop.timeout": "1h"})
        waits = (("BLPOP", "list", 0), ("BLMOVE", "list", "other", "LEFT", "LEFT", 0),
                 ("BZPOPMIN", "zset", 0), ("XREAD", "BLOCK", 0, "STREAMS", "stream", "$"))
        waiters = [started.connect() for _ in waits]
        for waiter, words in zip(waiters, waits):
            self.assertEqual(waiter.command("PING"), "PONG")
            waiter.send(encode(*words))
            wait_until(lambda w=waiter: w.unsent_bytes() == 0, "the request to arrive")
        started.signal()
        for waiter in waiters:
            self.assertEqual(waiter.read_to_end(), b"")
            waiter.close()
        self.assertEqual(started.wait(), 0)
        self.assertIn("event=stopped connections_cut=0", started.log_text())

    def test_requests_that_wait_for_a_slow_reader_are_answered(self):
        started = self.start_member({"net.output_bytes_max": "64KiB"})
        value = b"v" * 300000
        started.command("SET", "large", value)
        with started.connect(receive_buffer=65536) as slow:
            slow.send(encode("GET", "large") * 60 + encode("ECHO", "last"))
            started.wait_for_metric(lambda n: n >= 1, "filbert_output_pauses_total")
            started.signal()
            wait_until(lambda: "event=stopping" in started.log_text(), "the stop to begin")
            for _ in range(60):
                self.assertEqual(slow.read_reply(), value)
            self.assertEqual(slow.read_reply(), b"last")
            self.assertEqual(slow.read_to_end(), b"")
        self.assertEqual(started.wait(), 0)
        self.assertIn("connections_cut=0", started.log_text())

    def test_every_stream_under_load_ends_behind_a_whole_reply(self):
        started = self.start_member()
        connections = [started.connect() for _ in range(6)]
        has_begun = threading.Event()

        def load(connection):
            # The member stops reading at some moment; what it took before is answered.
            for i in range(0, 1 << 30, 100):
                batch = b"".join(encode("ECHO", f"{n:08}") for n in range(i, i + 100))
                with contextlib.suppress(OSError):
                    connection.send(batch)
                    continue
                return

        def read(connection, numbers):
            for n in range(1 << 30):
                if n == 1000:
                    has_begun.set()
                try:
                    numbers.append(connection.read_reply())
                except (EOFError, ConnectionResetError):
                    return

        answers = [[] for _ in connections]
        threads = [threading.Thread(target=load, args=[c]) for c in connections]
        threads += [threading.Thread(target=read, args=p) for p in zip(connections, answers)]
        for thread in threads:
            thread.start()
        self.assertTrue(has_begun.wait(member.GUARD))
        started.signal()
        for thread in threads:
            thread.join(member.GUARD)
        self.assertEqual(started.wait(), 0)
        for connection, numbers in zip(connections, answers):
            self.assertEqual(bytes(connection.received), b"")
            self.assertEqual(numbers, [b"%08d" % n for n in range(len(numbers))])
            connection.close()

    def test_member_that_stops_is_not_ready_and_still_answers(self):
        started = self.start_member({"net.output_bytes_max": "64KiB"})
        with started.connect(receive_buffer=4096) as slow:
            page = b"GET %s HTTP/1.1\r\nHost: [::1]\r\n\r\n"
            slow.send(page % b"/metrics" * 500 + page % b"/readyz")
            started.wait_for_metric(lambda n: n >= 1, "filbert_output_pauses_total")
            started.signal()
            wait_until(lambda: "event=stopping" in started.log_text(), "the stop to begin")
            for _ in range(500):
                self.assertEqual(slow.read_response()[0], 200)
            self.assertEqual(slow.read_response()[0], 503)
            self.assertEqual(slow.read_to_end(), b"")
        self.assertEqual(started.wait(), 0)

    def test_readiness_does_not_come_back_while_it_stops(self):
        started = self.start_member()
        with started.connect() as probe:
            statuses = [probe.get("/readyz")[0]]
            started.signal()
            with contextlib.suppress(EOFError, ConnectionError):
                while True:
                    statuses.append(probe.get("/readyz")[0])
        # Once it says 503 it never says 200 again.
        self.assertEqual(statuses, sorted(statuses))
        self.assertLessEqual(set(statuses), {200, 503})
        self.assertEqual(started.wait(), 0)

    def test_further_signals_do_not_disturb_the_end(self):
        started = self.start_member({"stop.timeout": "300ms", "net.stall_timeout": "1h"})
        started.command("SET", "large", b"v" * 8000000)
        with started.connect(receive_buffer=4096) as deaf:
            self._wait_to_be_alone(deaf)
            deaf.send(encode("GET", "large"))
            self.assertEqual(deaf.read(1), b"$")
            for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                started.signal(number)
            self.assertEqual(started.wait(), 0)
        self.assertIn("event=stopped connections_cut=1", started.log_text())

    def test_signal_right_at_the_start_is_not_lost(self):
        process = subprocess.Popen(
            [member.binary(), "start", "--listen", "127.0.0.1:0"],
            env=member.clean_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            process.stdout.read(1)
            process.terminate()
            _, log = process.communicate(timeout=member.GUARD)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"event=stopped", log)

    def test_screen_that_nobody_can_read_is_no_failure(self):
        with open("/dev/full", "wb") as full:
            process = subprocess.Popen(
                [member.binary(), "start", "--listen", "127.0.0.1:0"],
                env=member.clean_environment(),
                stdin=subprocess.DEVNULL,
                stdout=full,
                stderr=subprocess.PIPE,
            )
        try:
            first = process.stderr.readline()
            process.terminate()
            _, log = process.communicate(timeout=member.GUARD)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"event=stopped", first + log)

    def test_closed_standard_descriptors_are_no_sockets(self):
        script = 'exec "$0" start --listen 127.0.0.1:0 <&- >&-'
        process = subprocess.Popen(
            ["sh", "-c", script, member.binary()],
            env=member.clean_environment(),
            stderr=subprocess.PIPE,
        )
        try:
            self.assertIn(b"event=", process.stderr.readline())
            for number in (0, 1):
                target = os.readlink(f"/proc/{process.pid}/fd/{number}")
                self.assertEqual(target, "/dev/null")
            process.terminate()
            process.communicate(timeout=member.GUARD)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 0)


class Refusal(unittest.TestCase):
    def _check_failure(self, arguments, code, pattern):
        result = run(*arguments)
        errors = result.stderr.decode()
        self.assertEqual(result.returncode, code, errors)
        self.assertEqual(result.stdout, b"")
        self.assertRegex(errors, pattern)
        self.assertEqual(errors.count("\n"), 1, errors)

    def test_taken_port_is_told_in_one_sentence(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            self._check_failure(
                ["start", "--listen", address],
                1,
                rf"^filbert: cannot listen on {address}: .*in use.*--listen ADDRESS:PORT",
            )

    def test_second_member_on_the_port_of_the_first_is_refused(self):
        first = member.Member()
        try:
            address = f"127.0.0.1:{first.port}"
            self._check_failure(
                ["start", "--listen", address],
                1,
                rf"^filbert: cannot listen on {address}: .*in use.*--listen ADDRESS:PORT",
            )
            self.assertEqual(first.command("PING"), "PONG")
        finally:
            first.stop()

    def test_address_of_another_machine_is_told_in_one_sentence(self):
        self._check_failure(
            ["start", "--listen", "192.0.2.1:5701"],
            1,
            r"^filbert: cannot listen on 192\.0\.2\.1:5701: ",
        )

    def test_wrong_usage_ends_with_2_and_names_the_word(self):
        cases = {
            ("start", "--nonsense"): "--nonsense",
            ("start", "word"): "word",
            ("start", "--config"): "--config",
            ("start", "--config", ""): "--config needs .* empty",
            ("start", "--config="): "--config needs .* empty",
            ("config", "check", "--config", "a", "--config=b"): "'a' and 'b'",
            ("start", "--set"): "--set",
            ("start", "--listen"): "--listen",
            ("nonsense",): "nonsense",
            ("config", "nonsense"): "nonsense",
            ("config",): "",
            ("config", "show", "--nonsense"): "--nonsense",
            ("config", "check", "--origin"): "--origin",
            ("config", "docs", "more"): "more",
            ("help", "nonsense"): "nonsense",
            ("version", "more"): "'more' is not expected",
            ("--version", "more"): "'more' is not expected",
            ("help", "start", "more"): "'more' is not expected",
            ("help", "bench", "nonsense"): "'nonsense' is not expected",
            ("help", "bench", "resp", "more"): "'more' is not expected",
        }
        for arguments, word in cases.items():
            with self.subTest(arguments=arguments):
                self._check_failure(arguments, 2, f"^filbert: .*{word}")

    def test_no_command_shows_the_help_and_ends_with_2(self):
        result = run()
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertEqual(result.stderr, run("help").stdout)


if __name__ == "__main__":
    member.main()
