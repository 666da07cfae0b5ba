# SPDX-License-Identifier: Apache-2.0
"""Measures the tree: places to look, not verdicts. Called by tools/tidy.py --report."""
import re
import statistics
from collections import Counter, defaultdict

import csource
from tree import Tree, is_product, module_of

SOFT_LEFTOVER = re.compile(
    r"\b(?:not implemented|unimplemented|stub|placeholder|for now|temporary)\b", re.I
)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0


def spread(values):
    if not values:
        return "none"
    middle = statistics.median(values)
    return f"median {middle:.0f}, p95 {percentile(values, 0.95)}, max {max(values)}"


def report_functions(measured):
    """Lengths, parameters, nesting, assertions; then what is beyond the limits."""
    functions = [function for _, function in measured]
    lengths = [f.lines for f in functions]
    assertions = sum(f.assertions for f in functions)
    print(f"functions   {len(functions)}")
    print(f"  lines       {spread(lengths)} (aim: median 12, p95 45; look again beyond 70)")
    print(f"  parameters  {spread([f.parameters for f in functions])} (aim 4; look again beyond 6)")
    print(f"  nesting     {spread([f.nesting for f in functions])} (aim 2; look again beyond 4)")
    print(f"  assertions  {assertions / max(1, len(functions)):.2f} a function (aim about 2)")
    beyond = [(p, f) for p, f in measured if f.lines > 70 or f.parameters > 6 or f.nesting > 4]
    for path, f in sorted(beyond, key=lambda pair: -pair[1].lines):
        print(
            f"  look again  {path}:{f.line} {f.name}: {f.lines} lines,"
            f" {f.parameters} parameters, nesting {f.nesting}"
        )


def report_files(tree, paths):
    for suffix, aim, limit in ((".c", 400, 800), (".h", 150, 300)):
        lengths = {p: tree.text(p).count("\n") for p in paths if p.endswith(suffix)}
        print(f"{suffix} files    {len(lengths)}")
        sizes = spread(list(lengths.values()))
        print(f"  lines       {sizes} (aim {aim}; look again beyond {limit})")
        for path in sorted(p for p, lines in lengths.items() if lines > limit):
            print(f"  look again  {path}: {lengths[path]} lines")


def count_code_lines(tree, paths):
    return sum(1 for p in paths for line in tree.code(p).split("\n") if line.strip())


def report_modules(tree, measured):
    files, lines, functions = Counter(), Counter(), defaultdict(list)
    for path in tree.c_files():
        module = module_of(path)
        if module is not None:
            files[module] += 1
            lines[module] += count_code_lines(tree, [path])
    for path, function in measured:
        functions[module_of(path) or "include"].append(function.lines)
    print("modules       files   code  functions  median")
    for module in sorted(files):
        sizes = functions[module]
        middle = statistics.median(sizes) if sizes else 0
        print(f"  {module:<12}{files[module]:>5}{lines[module]:>7}{len(sizes):>11}{middle:>8.0f}")


def report(root):
    """Places to look, not verdicts."""
    tree = Tree(root)
    product = [p for p in tree.c_files() if is_product(p)]
    tests = [p for p in tree.c_files() if p.startswith("tests/")]
    measured = [(p, f) for p in product for f in csource.functions(tree.text(p))]
    report_modules(tree, measured)
    report_functions(measured)
    report_files(tree, product)
    code = count_code_lines(tree, product)
    test_code = count_code_lines(tree, tests)
    total = sum(1 for p in product for line in tree.text(p).split("\n") if line.strip())
    print(f"code        {code} lines, comments {100 * (total - code) / max(1, total):.0f} %")
    print(f"tests       {test_code} lines of C, {test_code / max(1, code):.2f} a line of code")
    for path in product:
        for number, line in enumerate(tree.text(path).split("\n"), 1):
            if SOFT_LEFTOVER.search(line):
                print(f"leftover?   {path}:{number}: {line.strip()[:80]}")
