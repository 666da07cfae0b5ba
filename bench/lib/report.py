# SPDX-License-Identifier: Apache-2.0
"""Tables, bars and JSON: what a benchmark says about its samples."""
import json
import operator
import statistics
from dataclasses import dataclass

import process

# More than this share of a core for other processes spoils the figures.
OTHERS_MAX = 0.1


def median(values):
    return statistics.median(values)


def ratios(values, bases):
    """Value by base, round by round: neighbours in time are compared with each other."""
    return [value / base for value, base in zip(values, bases, strict=True)]


def thousands(value):
    return f"{value:,.0f}".replace(",", " ")


def hundredths(value):
    return f"{value:.2f}"


def figure(value):
    return thousands(value) if value == int(value) and abs(value) >= 10 else f"{value:.3g}"


def spread(values, form=hundredths):
    return f"{form(min(values))} to {form(max(values))}"


def percent(value):
    return f"{value * 100:.0f} %"


RELATIONS = {">=": operator.ge, "<=": operator.le, "<": operator.lt, "=": operator.eq}


@dataclass(frozen=True)
class Bar:
    """A figure and what it must reach."""

    name: str
    value: float
    relation: str
    limit: float
    unit: str = ""

    def is_met(self):
        return RELATIONS[self.relation](self.value, self.limit)

    def row(self):
        unit = f" {self.unit}" if self.unit else ""
        return [
            self.name,
            figure(self.value) + unit,
            f"{self.relation} {figure(self.limit)}{unit}",
            "met" if self.is_met() else "MISSED",
        ]


def layout(header, rows):
    """A Markdown table with straight columns: the first to the left, the others to the right."""
    table = [header, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(header))]

    def line(row):
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        return "| " + " | ".join([first, *rest]) + " |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return "\n".join(line(row) for row in [header, rule, *rows])


class Report:
    """Collects what a run has found; printed and judged at its end."""

    def __init__(self, name, is_quick):
        self.name = name
        self.is_quick = is_quick
        self.notes = [("machine", process.describe_machine())]
        self.tables = []
        self.bars = []
        self.samples = {}
        self._clock = process.MachineClock()

    def note(self, subject, text):
        self.notes.append((subject, text))

    def add_table(self, title, header, rows):
        self.tables.append((title, header, rows))

    def add_bar(self, *values):
        self.bars.append(Bar(*values))

    def has_missed(self):
        return not self.is_quick and any(not bar.is_met() for bar in self.bars)

    def _finish(self):
        others, stolen = self._clock.shares()
        text = f"{self._clock.elapsed_s():.0f} s; of a core, other processes used"
        text = f"{text} {percent(others)}, the host took {percent(stolen)}"
        if others > OTHERS_MAX:
            text = f"{text}: too much to trust the figures"
        self.note("run", text)

    def print(self):
        self._finish()
        width = max(len(subject) for subject, _ in self.notes)
        print(f"bench/{self.name}")
        for subject, text in self.notes:
            print(f"  {subject.ljust(width)}  {text}")
        for title, header, rows in self.tables:
            print(f"\n{title}\n\n{layout(header, rows)}")
        if self.is_quick:
            print("\nBars are not judged with --quick.")
        elif self.bars:
            rows = [bar.row() for bar in self.bars]
            print(f"\nBars\n\n{layout(['figure', 'measured', 'bar', 'verdict'], rows)}")

    def write_json(self, path):
        bars = [
            {"name": b.name, "value": b.value, "relation": b.relation, "limit": b.limit,
             "unit": b.unit, "met": None if self.is_quick else b.is_met()}
            for b in self.bars
        ]
        content = {
            "benchmark": self.name,
            "quick": self.is_quick,
            "notes": dict(self.notes),
            "samples": self.samples,
            "bars": bars,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=2)
            file.write("\n")
