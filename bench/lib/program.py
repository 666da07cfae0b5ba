# SPDX-License-Identifier: Apache-2.0
"""What every benchmark program has: its options, the binary it measures, its exit codes.

Exit codes: 0 well, 1 a bar was missed (only with --check), 2 the benchmark could not run.
"""
import argparse
import os
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class BenchError(Exception):
    """The benchmark cannot go on; the text says why and what helps."""


def make_parser(name, text):
    parser = argparse.ArgumentParser(
        prog=f"bench/{name}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="exit codes: 0 well, 1 a bar was missed (with --check), 2 it could not run",
    )
    parser.add_argument("--check", action="store_true", help="exit 1 when a bar is missed")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="only show that it works: one short round, bars are not judged",
    )
    parser.add_argument("--json", metavar="FILE", help="write every sample to FILE")
    parser.add_argument(
        "--binary", metavar="PATH", help="measure this binary (default: make build)"
    )
    return parser


def add_unpinned(parser):
    parser.add_argument(
        "--unpinned",
        action="store_true",
        help="leave the cores to the scheduler (default: server on one core, load on another)",
    )


def find_binary(arguments):
    """The binary of --binary, or the release after a build."""
    if arguments.binary:
        path = os.path.abspath(arguments.binary)
        if not os.access(path, os.X_OK):
            raise BenchError(f"{arguments.binary} is no program: give --binary a filbert")
        return path
    built = subprocess.run(["make", "--no-print-directory", "build"], cwd=ROOT, stdout=sys.stderr)
    if built.returncode != 0:
        raise BenchError("make build failed: see its messages above")
    return os.path.join(ROOT, "build", "filbert")


def find_peer(name):
    """A program of another project; tools/peer unpacks it when it is not installed."""
    found = subprocess.run(
        [os.path.join(ROOT, "tools", "peer"), name], stdout=subprocess.PIPE, text=True
    )
    if found.returncode != 0:
        raise BenchError(f"{name} cannot be had: see the message above")
    return found.stdout.strip()


def wait_until(is_done, what, timeout_s=20.0, pause_s=0.002):
    deadline = time.monotonic() + timeout_s
    while not is_done():
        if time.monotonic() > deadline:
            raise BenchError(f"{what} did not happen within {timeout_s:.0f} s")
        time.sleep(pause_s)


def run(measure, arguments):
    """Runs measure(arguments) -> Report; prints, writes and judges it; ends the program."""
    # A benchmark that is told to stop still stops the servers it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        report = measure(arguments)
        report.print()
        if arguments.json:
            report.write_json(arguments.json)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    sys.exit(1 if arguments.check and report.has_missed() else 0)
