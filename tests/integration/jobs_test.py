#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stream jobs in a member, over HTTP and by `filbert job`: submitted, listed, looked at, suspended,
resumed, restarted, exported, cancelled, forgotten; faults have their place; what they print can be
read; a member that stops ends its jobs, and snapshots in a folder outlive it.
"""
import http.client
import json
import os
import tempfile
import unittest

import member
from member import Member, MemberTest, SharedMemberTest, wait_until

ENDLESS = """job: {name}
guarantee: exactly-once
interval: 50ms
pipeline:
  - read: {{generate: 0, rate: 1000, fields: {{time: n, key: n % 3}}}}
  - window: {{size: 100ms, by: key, many: count}}
  - write: stdout
"""
SHORT = """job: short
parallelism: 1
pipeline:
  - read: {generate: 3, fields: {v: n}}
  - write: stdout
"""


class Jobs(SharedMemberTest):
    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.member.port, timeout=member.GUARD
        )
        self.addCleanup(connection.close)
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read().decode(), response.getheader("Filbert-Next")

    def state(self, name):
        status, body, _ = self.ask("GET", f"/v1/jobs/{name}")
        return json.loads(body)["state"] if status == 200 else None

    def command(self, *words):
        address = f"127.0.0.1:{self.member.port}"
        return member.run("job", *words, "--address", address, "--timeout", "60s")

    def write_file(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(text)
        self.addCleanup(os.unlink, file.name)
        return file.name

    def submit(self, name):
        status, body, _ = self.ask("POST", "/v1/jobs", ENDLESS.format(name=name))
        self.assertEqual((status, json.loads(body)), (201, {"name": name}))

    def test_empty_job_is_refused_and_hurts_nobody(self):
        for method, path in (("POST", "/v1/jobs"), ("POST", "/v1/jobs/none/cancel")):
            status, _, _ = self.ask(method, path, b"")
            self.assertIn(status, (400, 404))
        self.assertEqual(self.ask("GET", "/v1/jobs")[0], 200)

    def cancel(self, name):
        self.assertEqual(self.ask("POST", f"/v1/jobs/{name}/cancel")[0], 202)
        wait_until(lambda: self.state(name) == "cancelled", "the end of the job")
        self.assertEqual(self.ask("DELETE", f"/v1/jobs/{name}")[0], 204)
        self.assertIsNone(self.state(name))

    def test_whole_life_over_http(self):
        self.submit("life")
        self.assertEqual(self.ask("POST", "/v1/jobs", ENDLESS.format(name="life"))[0], 409)
        names = [job["name"] for job in json.loads(self.ask("GET", "/v1/jobs")[1])["jobs"]]
        self.assertIn("life", names)
        wait_until(lambda: self.ask("GET", "/v1/jobs/life/output")[1], "the first line")
        wait_until(lambda: self.figures("life")["snapshots"] > 0, "a snapshot")
        self.assertEqual(self.ask("POST", "/v1/jobs/life/resume")[0], 409)
        self.assertEqual(self.ask("POST", "/v1/jobs/life/suspend")[0], 202)
        wait_until(lambda: self.state("life") == "suspended", "the suspension")
        sent = self.figures("life")["vertices"][0]["sent"]
        self.assertGreater(sent, 0)
        self.assertEqual(self.ask("POST", "/v1/jobs/life/resume")[0], 202)
        wait_until(lambda: self.figures("life")["vertices"][0]["sent"] > sent, "more records")
        self.assertEqual(self.ask("POST", "/v1/jobs/life/restart")[0], 202)
        self.assertEqual(self.ask("POST", "/v1/jobs/life/dance")[0], 404)
        wait_until(
            lambda: self.ask("POST", "/v1/jobs/life/export?snapshot=keep")[0] == 202, "the export"
        )
        self.assertEqual(self.ask("DELETE", "/v1/jobs/life")[0], 409)
        self.assertIn("digraph", self.ask("GET", "/v1/jobs/life/graph")[1])
        graph = json.loads(self.ask("GET", "/v1/jobs/life/graph?format=json")[1])
        self.assertEqual(len(graph["vertices"]), 3)
        self.cancel("life")

    def test_changed_jobs_start_from_named_snapshots(self):
        text = (
            "job: {name}\nguarantee: exactly-once\ninterval: 100ms\nparallelism: {parallelism}\n"
            "pipeline:\n  - read: {{generate: 0, rate: 1000, fields: {{time: n, key: n % 5}}}}\n"
            "  - rolling: {{by: key, {what}}}\n  - write: stdout\n"
        )
        first = text.format(name="first", parallelism=2, what="many: count")
        self.assertEqual(self.ask("POST", "/v1/jobs?weight=3", first)[0], 201)
        self.assertEqual(self.ask("POST", "/v1/jobs?weight=1001", first)[0], 400)
        wait_until(lambda: self.figures("first")["snapshots"] > 2, "snapshots")
        wait_until(
            lambda: self.ask("POST", "/v1/jobs/first/export?snapshot=monday")[0] == 202, "export"
        )
        names = lambda: json.loads(self.ask("GET", "/v1/snapshots")[1])["snapshots"]
        wait_until(lambda: "monday" in names(), "the snapshot")
        self.assertIn("first", names())
        status, body, _ = self.ask("DELETE", "/v1/snapshots/first?format=text")
        self.assertEqual(status, 409)
        self.assertEqual(body, "it is the last snapshot of a job that is not over\n")
        # Another parallelism and sink: the state fits.
        second = text.format(name="second", parallelism=3, what="many: count")
        second = second.replace("stdout", "nothing")
        self.assertEqual(self.ask("POST", "/v1/jobs?from=monday", second)[0], 201)
        wait_until(lambda: self.state("second") == "running", "the second job")
        self.cancel("second")
        # Another aggregate: it does not, and the cause names the vertex.
        third = text.format(name="third", parallelism=2, what="most: max(key)")
        status, body, _ = self.ask("POST", "/v1/jobs?from=monday", third)
        if status == 201:
            wait_until(lambda: self.state("third") == "failed", "the refusal")
            body = self.ask("GET", "/v1/jobs/third")[1]
        self.assertIn("rolling-2", body)
        self.assertIn("the snapshot has", body)
        self.assertIn("monday", self.command("snapshots").stdout.decode())
        self.assertEqual(self.command("drop", "monday").returncode, 0)
        self.assertNotIn("monday", names())
        gone = self.command("drop", "monday")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("there is no snapshot of that name", gone.stderr.decode())
        self.cancel("first")

    def figures(self, name):
        return json.loads(self.ask("GET", f"/v1/jobs/{name}")[1])

    def test_what_does_not_go_is_told_with_the_state(self):
        self.submit("told")
        wait_until(lambda: self.state("told") == "running", "the job")
        status, body, _ = self.ask("POST", "/v1/jobs/told/resume?format=text")
        self.assertEqual((status, body), (409, "the job is running, which does not allow that\n"))
        status, body, _ = self.ask("POST", "/v1/jobs/told/export?format=text&snapshot=..")
        self.assertEqual(status, 400)
        self.assertIn("a snapshot's name is letters", body)
        self.assertEqual(self.ask("POST", "/v1/jobs/told/cancel")[0], 202)
        wait_until(lambda: self.state("told") == "cancelled", "the end of the job")
        status, body, _ = self.ask("POST", "/v1/jobs/told/cancel?format=text")
        self.assertEqual((status, body), (409, "the job is cancelled, which does not allow that\n"))
        status, body, _ = self.ask("POST", "/v1/jobs/told/export?format=text&snapshot=late")
        self.assertEqual(status, 409)
        self.assertIn("only a job with a guarantee has snapshots", body)
        self.assertEqual(self.ask("DELETE", "/v1/jobs/told")[0], 204)

    def test_late_records_are_counted(self):
        # Without a key, which is done in two halves, and with one; 1000 of 1500 records are late.
        for by in ("", "by: key, "):
            text = (
                "job: late\nparallelism: 1\npipeline:\n"
                "  - read: {generate: 1500, fields: {time: 'if(n < 500, 100000, n)', key: 1}}\n"
                f"  - window: {{size: 1s, {by}many: count}}\n"
                "  - write: nothing\n"
            )
            self.assertEqual(self.ask("POST", "/v1/jobs", text)[0], 201)
            wait_until(lambda: self.state("late") == "completed", "the end of the job")
            _, body, _ = self.ask("GET", "/v1/jobs/late")
            late = {each["name"]: each["late"] for each in json.loads(body)["vertices"]}
            self.assertEqual(late["window-2"], 1000)
            self.assertEqual(sum(late.values()), 1000)
            self.assertEqual(self.ask("DELETE", "/v1/jobs/late")[0], 204)

    def test_output_is_read_from_a_place(self):
        self.assertEqual(self.ask("POST", "/v1/jobs", SHORT)[0], 201)
        wait_until(lambda: self.state("short") == "completed", "the end")
        self.assertEqual(self.ask("GET", "/v1/jobs/short/output")[1:], ("0\n1\n2\n", "6"))
        self.assertEqual(self.ask("GET", "/v1/jobs/short/output?from=4")[1:], ("2\n", "6"))
        self.assertEqual(self.ask("GET", "/v1/jobs/short/output?from=x")[0], 400)
        self.assertEqual(self.ask("GET", "/v1/jobs/nosuch/output")[0], 404)
        self.assertEqual(self.ask("DELETE", "/v1/jobs/short")[0], 204)

    def test_faults_have_their_place(self):
        status, body, _ = self.ask("POST", "/v1/jobs", "job: x\npipeline:\n  - read: {}\n")
        self.assertEqual(status, 400)
        self.assertTrue(json.loads(body)["error"].startswith("3:"), body)
        self.assertEqual(self.ask("POST", "/v1/jobs?parallelism=1000", SHORT)[0], 400)
        path = self.write_file("job: x\npipeline:\n  - read: {}\n")
        result = self.command("submit", path)
        self.assertEqual(result.returncode, 1)
        self.assertTrue(result.stderr.decode().startswith(f"{path}:3:"), result.stderr)

    def test_commands_speak_to_the_member(self):
        path = self.write_file(ENDLESS.format(name="spoken"))
        self.assertEqual(self.command("submit", path).stdout, b"spoken\n")
        self.assertIn(b"spoken", self.command("list").stdout)
        self.assertIn(b"window-2", self.command("status", "spoken").stdout)
        status = json.loads(self.command("status", "spoken", "--json").stdout)
        self.assertFalse(status["light"])
        self.assertIn(b"digraph", self.command("graph", "spoken", "--member").stdout)
        self.assertEqual(self.command("suspend", "spoken").returncode, 0)
        wait_until(lambda: self.state("spoken") == "suspended", "the suspension")
        self.assertEqual(self.command("resume", "spoken").returncode, 0)
        wait_until(lambda: self.state("spoken") == "running", "the resumption")
        self.assertEqual(self.command("cancel", "spoken").returncode, 0)
        self.assertEqual(self.command("cancel", "spoken").returncode, 1)
        self.assertEqual(self.command("forget", "spoken").returncode, 0)
        self.assertEqual(self.command("status", "spoken").returncode, 1)
        self.assertEqual(self.command("dance", "spoken").returncode, 2)

    def test_run_in_the_member_prints_until_the_end(self):
        result = self.command("run", self.write_file(SHORT), "--member")
        self.assertEqual((result.returncode, result.stdout), (0, b"0\n1\n2\n"))

    def test_watch_ends_with_the_job(self):
        path = self.write_file(SHORT.replace("short", "watched"))
        self.assertEqual(self.command("submit", path).returncode, 0)
        result = self.command("status", "watched", "--watch")
        self.assertEqual(result.returncode, 0, result.stderr)
        last = result.stdout.decode().split("\n\n")[-1]
        self.assertRegex(last, r"^watched +completed ")
        self.assertIn("3 out", last)

    def test_files_of_the_host_are_out_of_reach(self):
        reason = "jobs of this member may not use files: set stream.files to the folder where"
        reading = SHORT.replace("generate: 3, fields: {v: n}", "csv: /etc/passwd, type: {v: i64}")
        status, body, _ = self.ask("POST", "/v1/jobs?format=text", reading)
        self.assertEqual((status, body.startswith(f"4:17: {reason}")), (400, True), body)
        writing = SHORT.replace("write: stdout", "write: {csv: /tmp/owned}")
        status, body, _ = self.ask("POST", "/v1/jobs?format=text", writing)
        self.assertEqual((status, body.startswith(f"5:18: {reason}")), (400, True), body)
        path = self.write_file(reading)
        for words in (("submit", path), ("run", path, "--member")):
            result = self.command(*words)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"4:17: {reason}", result.stderr.decode())

    def test_metrics_count_jobs(self):
        self.submit("counted")
        text = self.ask("GET", "/metrics")[1]
        self.assertRegex(text, r"filbert_jobs [1-9]")
        self.assertRegex(text, r'filbert_job_events_total\{event="submitted"\} [1-9]')
        self.assertRegex(
            text, r'filbert_vertex_sent_records_total\{job="counted",vertex="generator-1"\} [0-9]')
        self.assertRegex(
            text, r'filbert_vertex_busy_seconds_total\{job="counted",.*\} [0-9]+\.[0-9]{9}')
        self.assertEqual(text.count("# TYPE filbert_vertex_busy_seconds_total counter"), 1)
        self.cancel("counted")
        self.assertNotIn('job="counted"', self.ask("GET", "/metrics")[1])


class Files(MemberTest):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.outer = os.path.realpath(holder.name)
        self.folder = os.path.join(self.outer, "files")
        os.mkdir(self.folder)
        for path in (self.folder, self.outer):
            with open(os.path.join(path, "in.csv"), "w", encoding="utf-8") as file:
                file.write("1\n2\n")
        self.server = self.start_member({"stream.files": self.folder})

    def run_job(self, read, write):
        text = (
            f"job: files\npipeline:\n  - read: {{csv: {read}, type: {{v: i64}}}}\n"
            f"  - write: {{csv: {write}}}\n"
        )
        path = os.path.join(self.outer, "job.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        address = ("--address", f"127.0.0.1:{self.server.port}", "--timeout", "60s")
        return member.run("job", "run", path, "--member", *address)

    def written(self, folder):
        lines = []
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                lines += file.read().split()
        return sorted(lines)

    def test_those_below_the_folder_are_used(self):
        for name in ("out", "other"):
            os.mkdir(os.path.join(self.folder, name))
        result = self.run_job("in.csv", "out/numbers")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.written(os.path.join(self.folder, "out")), ["1", "2"])
        result = self.run_job(f"{self.folder}/in.csv", f"{self.folder}/other/numbers")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.written(os.path.join(self.folder, "other")), ["1", "2"])
        result = self.run_job("nosuch.csv", "out/numbers")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"failed in vertex 'csv-1'", result.stderr)

    def test_nothing_leads_out_of_it(self):
        os.symlink("..", os.path.join(self.folder, "up"))
        os.symlink("../in.csv", os.path.join(self.folder, "link.csv"))
        for path in ("/etc/passwd", "../in.csv", f"{self.outer}/in.csv", "up/in.csv", "link.csv"):
            result = self.run_job(path, "out/numbers")
            self.assertEqual(result.returncode, 1, path)
            self.assertIn(f"3:17: '{path}' is not below the folder", result.stderr.decode())
        for path in ("/tmp", "..", f"{self.outer}/new", "up", "up/new"):
            result = self.run_job("in.csv", f"{path}/owned")
            self.assertEqual(result.returncode, 1, path)
            self.assertIn(f"4:18: '{path}' is not below the folder", result.stderr.decode())
        self.assertEqual(sorted(os.listdir(self.outer)), ["files", "in.csv", "job.yaml"])

    def test_folder_that_is_missing_is_told(self):
        os.rename(self.folder, self.folder + "-gone")
        result = self.run_job("in.csv", "out/numbers")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"there is no folder '{self.folder}'".encode(), result.stderr)


class Folder(unittest.TestCase):
    def test_snapshots_outlive_the_member(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ENDLESS.format(name="kept"))
            first = Member({"stream.folder": folder})
            try:
                address = ("--address", f"127.0.0.1:{first.port}", "--timeout", "60s")
                result = member.run("job", "submit", path, *address)
                self.assertEqual(result.returncode, 0, result.stderr)
                wait_until(
                    lambda: b"running" in member.run("job", "list", *address).stdout, "the start"
                )
            finally:
                first.stop()
            self.assertTrue([name for name in os.listdir(folder) if name.startswith("kept")])


if __name__ == "__main__":
    unittest.main()
