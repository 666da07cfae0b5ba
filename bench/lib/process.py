# SPDX-License-Identifier: Apache-2.0
"""What Linux tells about a process that is measured, and about the machine.

Processor time is read from the scheduler's counters, /proc/PID/task/*/schedstat: user and system
time of every thread in nanoseconds. /proc/PID/stat tells the same in steps of 10 ms, threads that
have ended included; it stands in where threads have ended between two readings.
"""
import os
import platform
import re
import resource
import time


def read(path):
    with open(path, encoding="ascii", errors="replace") as file:
        return file.read()


def tick_ns():
    return 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def thread_times_ns(pid):
    """{thread: ns}, or None where the kernel does not count them."""
    folder = f"/proc/{pid}/task"
    try:
        return {
            thread: int(read(f"{folder}/{thread}/schedstat").split()[0])
            for thread in os.listdir(folder)
        }
    except (FileNotFoundError, ProcessLookupError):
        return None


def total_time_ns(pid):
    # The name in brackets may hold blanks; user and system time are fields 14 and 15.
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * tick_ns()


def cpu_ns(pid):
    """The processor time of a process whose threads all still run."""
    threads = thread_times_ns(pid)
    return total_time_ns(pid) if threads is None else sum(threads.values())


class CpuClock:
    """The processor time of one process, from the moment this object is made."""

    def __init__(self, pid):
        self._pid = pid
        self._threads = thread_times_ns(pid)
        self._total_ns = total_time_ns(pid)

    def elapsed_ns(self):
        total_ns = total_time_ns(self._pid) - self._total_ns
        now = thread_times_ns(self._pid)
        if now is None or self._threads is None:
            return total_ns
        threads_ns = sum(now.values()) - sum(self._threads.values())
        # User and system time are rounded down each; what differs by more was used by the ended.
        return threads_ns if abs(total_ns - threads_ns) <= 3 * tick_ns() else total_ns


def resident_bytes(pid):
    match = re.search(r"^VmRSS:\s+(\d+) kB", read(f"/proc/{pid}/status"), re.M)
    return int(match.group(1)) * 1024


def descriptor_count(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


class MachineClock:
    """What the whole machine did, from the moment this object is made."""

    def __init__(self):
        self._begin_s = time.monotonic()
        self._busy_s, self._stolen_s = self._read()
        self._own_s = own_time_s()

    @staticmethod
    def _read():
        """(busy, stolen) seconds of all cores; stolen is when the host ran somebody else."""
        ticks = [int(field) for field in read("/proc/stat").split("\n", 1)[0].split()[1:]]
        user, nice, system, _, _, interrupt, soft, stolen = ticks[:8]
        tick_s = tick_ns() / 1e9
        return (user + nice + system + interrupt + soft) * tick_s, stolen * tick_s

    def elapsed_s(self):
        return time.monotonic() - self._begin_s

    def shares(self):
        """(others, stolen) in cores. Others are processes that this one did not start."""
        busy_s, stolen_s = self._read()
        others_s = busy_s - self._busy_s - (own_time_s() - self._own_s)
        elapsed_s = self.elapsed_s()
        return max(0.0, others_s) / elapsed_s, (stolen_s - self._stolen_s) / elapsed_s


def children_time_s():
    """The processor time of all processes that this one has started and seen end."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def own_time_s():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime + children_time_s()


def ephemeral_ports():
    """(first, last) of the ports that Linux gives to outgoing connections."""
    first, last = read("/proc/sys/net/ipv4/ip_local_port_range").split()
    return int(first), int(last)


def describe_machine():
    models = re.findall(r"^model name\s*: (.*)$", read("/proc/cpuinfo"), re.M)
    model = models[0] if models else platform.machine()
    memory = re.search(r"^MemTotal:\s+(\d+) kB", read("/proc/meminfo"), re.M)
    gigabytes = int(memory.group(1)) / (1 << 20)
    system = f"{platform.system()} {platform.release().split('-')[0]}"
    return f"{os.cpu_count()} x {model}, {gigabytes:.0f} GiB, {system}"
