# SPDX-License-Identifier: Apache-2.0
"""The experiments of overload beside its curves: false refusals, recovery, stalls, priorities and
tenants, retry storms, restarts, the price of admission. Each function takes a Lab and a Report and
adds bars, those of its controls included: what a control does not show, the run cannot judge."""
import contextlib
import json
import os
import subprocess
import sys
import threading
import time

import http_servers as http
import program
import server
from report import median, ratios

CONNECTIONS = 400
DEADLINE_MS = 100
HOG = "while True: pass"


class Lab:
    """Where experiments find programs and cores, and how long they take."""

    def __init__(self, folder, cores, is_quick):
        self.folder = folder
        self.cores = cores
        self.is_quick = is_quick

    def service(self, core, **options):
        return http.service(self.folder, core, **options)

    def burner(self, **options):
        """The server on its core, with one thread that computes."""
        options = {"service__cpu_threads": 1, "service__capacity": 16384, **options}
        return self.service(self.cores.server, **options)

    def seconds(self, full):
        return 0.5 if self.is_quick else full

    def capacity(self, target, path="/burn", connections=4):
        """Answers a second that a few polite clients get."""
        seconds = self.seconds(2.0)
        return http.load(self.folder, target, self.cores.load, path, connections, seconds)["rate"]

    def command(self, target, path, seconds, rate, connections=CONNECTIONS):
        return server.pinned(
            self.cores.load,
            [
                os.path.join(self.folder, "http-load"), str(target.port), path, str(connections),
                str(round(seconds * 1000)), "open", str(rate), str(DEADLINE_MS),
            ],
        )

    def start(self, target, path, seconds, rate, headers="", connections=CONNECTIONS):
        """Open load in the background; figures(it) waits for its end."""
        return subprocess.Popen(
            self.command(target, path, seconds, rate, connections), stdout=subprocess.PIPE,
            text=True, env={**os.environ, "HTTP_LOAD_HEADERS": headers},
        )

    def load(self, target, path, seconds, rate, connections=CONNECTIONS):
        return figures(self.start(target, path, seconds, rate, "", connections))


def figures(running):
    text = running.communicate()[0]
    if running.returncode != 0:
        raise program.BenchError("http-load failed: see its message above")
    return json.loads(text)


def served(found):
    return found["ok"] / max(1, found["sent"] + found["lost"])


def recovery_ms(bins, first):
    """After which time from that bin on 99 of 100 requests were answered in time again."""
    for i, (due, ok) in enumerate(bins[first:]):
        if ok >= 0.99 * due:
            return i * 100
    return 100 * len(bins[first:])


@contextlib.contextmanager
def hogs(core):
    """Two who take most of the core."""
    takers = [
        subprocess.Popen(server.pinned(core, [sys.executable, "-c", HOG])) for _ in range(2)
    ]
    try:
        yield
    finally:
        for taker in takers:
            taker.kill()
            taker.wait()


STEAL = """
import os, time
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
while True:
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    time.sleep(1.95)
"""


@contextlib.contextmanager
def steal(core):
    """Takes the core for 50 ms every 2 s; yields whether it may."""
    taker = subprocess.Popen(
        server.pinned(core, [sys.executable, "-c", STEAL]), stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(0.3)
        yield taker.poll() is None
    finally:
        taker.kill()
        taker.wait()


def false_refusals(lab, report):
    """E4: nobody is refused at four fifths of the capacity, few when the core is taken away."""
    with lab.burner() as target:
        rate = round(lab.capacity(target) * 0.8)
        calm = lab.load(target, "/burn", lab.seconds(20.0), rate)
        with steal(lab.cores.server) as is_stolen:
            disturbed = lab.load(target, "/burn", lab.seconds(10.0), rate)
    report.add_bar("E4 refused at 0.8x", calm["rejected"] / max(1, calm["sent"]), "<", 0.0001)
    if is_stolen:
        share = disturbed["rejected"] / max(1, disturbed["sent"])
        report.add_bar("E4 ... with the core taken for 50 ms every 2 s", share, "<", 0.01)


def recovery(lab, report):
    """E5: after a step to three times the capacity everything is well again at once."""
    before, high, after = (0.2, 0.2, 0.3) if lab.is_quick else (1.0, 4.0, 3.0)
    for mode in ("estimate", "none"):
        with lab.burner(service__admission=mode) as target:
            best = lab.capacity(target)
            steps = ",".join(
                f"{round(best * load)}:{round(length * 1000)}"
                for load, length in ((0.7, before), (3, high), (0.7, after))
            )
            found = lab.load(target, "/burn", before + high + after, steps, 1500)
        took = recovery_ms(found["bins"], round((before + high) * 10))
        if mode == "estimate":
            report.add_bar("E5 well again after a step to 3x", took, "<=", 300, "ms")
        else:
            report.add_bar("E5 control: the same without admission", took, ">=", 1000, "ms")


def stall(lab, report):
    """E6: while the only thread of the pool is stuck, refusals come at once."""
    seconds = 1.0 if lab.is_quick else 8.0
    for mode in ("estimate", "none"):
        with lab.burner(service__admission=mode) as target:
            rate = round(lab.capacity(target) * 0.7)
            # At 2 s of the run, of which the first second is not counted.
            stuck = threading.Timer(2.0, server.http_get, (target.port, "/stall"))
            stuck.start()
            found = lab.load(target, "/burn", seconds, f"{rate}:1000,{rate}:60000")
            stuck.join()
        late = found["late"] / max(1, found["ok"] + found["late"])
        if mode == "estimate":
            report.add_bar("E6 refusal p50 in a stall", found["rejected_p50_ms"], "<=", 1, "ms")
            report.add_bar("E6 answers that were late", late, "<=", 0.01)
            took = recovery_ms(found["bins"], 15)
            report.add_bar("E6 well again after the stall", took, "<=", 200, "ms")
        else:
            report.add_bar("E6 control: late without admission", late, ">=", 0.05)


def classes(lab, report):
    """E7: at twice the capacity the important ones are served, and a small tenant is."""
    seconds = lab.seconds(4.0)
    priorities = (("critical", 0.1), ("normal", 0.6), ("batch", 0.3))
    with lab.burner() as target:
        best = lab.capacity(target)
        runs = {
            name: lab.start(
                target, "/burn", seconds, round(2 * best * part), f"Filbert-Priority: {name}\n", 200
            )
            for name, part in priorities
        }
        found = {name: figures(run) for name, run in runs.items()}
    report.add_bar("E7 critical ones that were served", served(found["critical"]), ">=", 0.99)
    report.add_bar("E7 batch ones that were served", served(found["batch"]), "<=", 0.1)
    good = sum(each["ok"] / each["seconds"] for each in found.values()) / best
    report.add_bar("E7 goodput of all", good, ">=", 0.92)
    for share, load, has_tenants in ((0.1, 2, True), (0.05, 4, True), (0.1, 2, False)):
        with lab.burner() as target:
            best = lab.capacity(target)
            names = ("large", "small") if has_tenants else (None, None)
            runs = [
                lab.start(
                    target, "/burn", seconds, round(load * best * part),
                    "" if name is None else f"Filbert-Tenant: {name}\n", 400,
                )
                for name, part in zip(names, (1 - share, share))
            ]
            small = served([figures(run) for run in runs][1])
        if has_tenants:
            name = f"E7 served of a tenant with {100 * share:.0f} % of {load}x"
            report.add_bar(name, small, ">=", 0.95)
        else:
            report.add_bar("E7 control: the same without a name", small, "<", 0.8)


def storm(lab, share):
    """(tries a request while others have the server's core, too; ms until all is well again)."""
    hold, rest = (0.3, 0.3) if lab.is_quick else (8.0, 3.0)
    tries = "filbert_upstream_tries_total"
    with lab.burner(BENCH_BURN=1) as backend:
        rules = f"GET /via/*=127.0.0.1:{backend.port}"
        options = {"service__proxies": rules, "service__retry_percent": share}
        with lab.service(lab.cores.load, **options) as front:
            rate = round(0.8 * lab.capacity(backend))
            run = lab.start(front, "/via/x", 1 + hold + rest, f"{rate}:1000,{rate}:60000")
            time.sleep(2.0)
            before = server.metric(front.port, tries)
            with hogs(lab.cores.server):
                time.sleep(hold)
                offered = (server.metric(front.port, tries) - before) / (rate * hold)
            found = figures(run)
    return offered, recovery_ms(found["bins"], round((1 + hold) * 10))


def retry_storm(lab, report):
    """E8: retries have a budget, so a server in trouble does not get more to do for it."""
    offered, took = storm(lab, 20)
    report.add_bar("E8 tries a request, server short of its core", offered, "<=", 1.25)
    report.add_bar("E8 well again when it has its core back", took, "<=", 1000, "ms")
    offered, _ = storm(lab, 1000)
    report.add_bar("E8 control: tries without a budget", offered, ">=", 2)


class Instance:
    """A server on a port that stays the same when it is started again."""

    def __init__(self, lab):
        self.port = server.free_port()
        self._lab = lab
        self._server = None

    def start(self):
        command = [
            "env", f"FILBERT_NET__LISTEN=127.0.0.1:{self.port}", "BENCH_DELAY_MS=0",
            os.path.join(self._lab.folder, "bench-service"),
        ]
        self._server = server.Server(
            "backend", lambda *_: command, lambda _: http.is_hello_ready(self.port),
            self._lab.cores.server,
        )
        self._server.__enter__()

    def stop(self):
        self._server.__exit__()


def restarts(lab, report):
    """E10: two servers behind a route are stopped by SIGTERM and started again, in turns."""
    instances = [Instance(lab), Instance(lab)]
    count = 2 if lab.is_quick else 20
    with contextlib.ExitStack() as stack:
        for each in instances:
            each.start()
            stack.callback(each.stop)
        rules = "GET /via/*=" + ", ".join(f"127.0.0.1:{each.port}" for each in instances)
        front = stack.enter_context(lab.service(lab.cores.load, service__proxies=rules))
        seconds = count * 0.35 + 1
        run = lab.start(front, "/via/x", seconds, 500, "", 64)
        time.sleep(1.0)
        for i in range(count):
            instances[i % 2].stop()
            instances[i % 2].start()
            time.sleep(0.1)
        found = figures(run)
    failed = found["failed"] + found["rejected"] + found["lost"]
    report.add_bar(f"E10 requests that {count} restarts have cost", failed, "=", 0)


def overhead(lab, report):
    """E11: what admission costs a handler that does nothing, in the pool."""
    rounds, seconds = (1, 0.2) if lab.is_quick else (7, 1.0)
    found = {mode: [] for mode in ("estimate", "none")}
    with contextlib.ExitStack() as stack:
        targets = {
            mode: stack.enter_context(lab.burner(service__admission=mode)) for mode in found
        }
        for _ in range(rounds):
            for mode, target in targets.items():
                found[mode].append(
                    http.load(
                        lab.folder, target, lab.cores.load, "/pooled", 50, seconds
                    )["cpu_us"]
                )
    ratio = median(ratios(found["estimate"], found["none"]))
    report.add_bar("E11 processor time with admission, of without", ratio, "<=", 1.02)


ALL = {
    "e4": false_refusals,
    "e5": recovery,
    "e6": stall,
    "e7": classes,
    "e8": retry_storm,
    "e10": restarts,
    "e11": overhead,
}
