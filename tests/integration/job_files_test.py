#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Job files without a member: those of docs/streams.md are good and their tests pass, its C code is
that of the examples; `filbert job test` tells what differs and where a test is broken.
"""
import os
import pathlib
import re
import tempfile
import unittest

import member

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "streams.md").read_text(encoding="utf-8")
JOB = """job: doubles
pipeline:
  - read: {{csv: none.csv, type: {{v: i64}}}}
  - map: {{w: v * 2}}
  - write: stdout
tests:
  - name: doubles
    input: [[1], [2]]
    output: {output}
"""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS, re.MULTILINE | re.DOTALL)


def run(*words):
    """Exit code, output and complaints of `filbert job`."""
    result = member.run("job", *words)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


class JobFiles(unittest.TestCase):
    def write_file(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        return file.name

    def test_files_of_the_docs_are_good(self):
        texts = blocks("yaml")
        self.assertGreaterEqual(len(texts), 4)
        tested = 0
        for text in texts:
            path = self.write_file(text)
            self.assertEqual(run("lint", path), (0, "", ""))
            if "tests:" in text:
                tested += 1
                code, output, complaints = run("test", path)
                self.assertEqual((code, complaints), (0, ""), output)
                self.assertIn(" passed, 0 failed", output)
        self.assertGreaterEqual(tested, 1)

    def test_code_of_the_docs_is_run_as_an_example(self):
        sources = "".join(
            re.sub(r"\s+", "", path.read_text(encoding="utf-8"))
            for path in (ROOT / "examples").glob("*.c")
        )
        for text in blocks("c"):
            self.assertIn(re.sub(r"\s+", "", text), sources, text)

    def test_log_and_weight(self):
        text = (
            "job: told\nweight: 7\npipeline:\n"
            "  - read: {generate: 2, fields: {n: n, name: '\"a,b\"'}}\n  - write: log\n"
        )
        path = self.write_file(text)
        lines = 'told: 0,"a,b"\ntold: 1,"a,b"\n'
        self.assertEqual(run("run", path, "--weight", "3"), (0, "", lines))
        self.assertEqual(run("run", path, "--weight", "1001")[0], 2)

    def test_differences_are_told(self):
        self.assertEqual(
            run("test", self.write_file(JOB.format(output="[[2], [5]]"))),
            (1, "FAILED doubles, parallelism 1\n  + 4\n  - 5\n0 passed, 1 failed\n", ""),
        )

    def test_faults_have_their_place(self):
        path = self.write_file(JOB.format(output="[[2], [x]]"))
        fault = f"{path}:9:20: 'x' does not fit field 'w', which is i64\n"
        self.assertEqual(run("test", path), (1, "", fault))
        self.assertEqual(run("lint", path), (1, "", fault))
        code, _, complaints = run("test", "none.yaml")
        self.assertEqual(code, 1)
        self.assertIn("none.yaml: ", complaints)
        path = self.write_file(JOB.format(output="[]").split("tests:", maxsplit=1)[0])
        self.assertEqual(run("test", path), (1, "", f"filbert: {path}: it has no tests\n"))


if __name__ == "__main__":
    unittest.main()
