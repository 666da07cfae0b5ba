#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real client libraries, each through the one scenario of tests/clients: what they send is
understood and what they get is what they expect, from redis-server and from a member alike.
tests/clients/setup gets the libraries; without one its test is skipped.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import member
from member import SharedMemberTest
from redis_server import RedisServer

CLIENTS = os.path.join(member.ROOT, "tests", "clients")
LIBRARIES = os.path.join(member.ROOT, ".clients")


def read_scenario():
    with open(os.path.join(CLIENTS, "scenario.json"), encoding="utf-8") as file:
        return json.load(file)


def fill(value, number):
    """The value with the number in place of {}."""
    if isinstance(value, str):
        return value.replace("{}", str(number))
    return [fill(part, number) for part in value] if isinstance(value, list) else value


def spread(pipeline):
    """All steps of a pipeline, by kind: first all SETs, then all GETs and so on."""
    return [fill(step, i) for step in pipeline["commands"] for i in range(pipeline["count"])]


def matches(got, wanted):
    """Whether a reply is as the scenario says; README.md of tests/clients has the forms."""
    if isinstance(wanted, list):
        return (isinstance(got, list) and len(got) == len(wanted)
                and all(map(matches, got, wanted)))
    if not isinstance(wanted, dict):
        return type(got) is type(wanted) and got == wanted
    if "error" in wanted:
        # Some libraries take the code off.
        text = got.get("error") if isinstance(got, dict) else None
        return text is not None and text.removeprefix("ERR ").startswith(wanted["error"])
    if "text" in wanted:
        return isinstance(got, str) and re.search(wanted["text"], got) is not None
    if "sorted" in wanted:
        return isinstance(got, list) and sorted(got) == wanted["sorted"]
    return isinstance(got, int) and wanted["least"] <= got <= wanted.get("most", got)


class Scenario:
    """The scenario as programs get it, in a file, and what they must answer."""

    def __init__(self, folder):
        self.full = read_scenario()
        self.steps = {
            "commands": self.full["commands"],
            "pipeline": spread(self.full["pipeline"]),
            "transaction": self.full["transaction"],
        }
        plain = {kind: [command for command, _ in steps] for kind, steps in self.steps.items()}
        plain["watch"] = {**self.full["watch"], "after": self.full["watch"]["after"][0]}
        plain["subscribe"] = self.full["subscribe"]
        self.path = os.path.join(folder, "scenario.json")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(plain, file)

    def wanted_messages(self):
        subscribe = self.full["subscribe"]
        heard = [[pattern, subscribe["channel"], text] for text in subscribe["messages"]
                 for pattern in (None, subscribe["pattern"])]
        return sorted(heard, key=str)

    def problems(self, output):
        """What a program's output has wrong, as lines."""
        found = []
        for kind, steps in self.steps.items():
            got = output[kind]
            if isinstance(got, dict):  # only counted
                if got != {"errors": 0, "replies": len(steps)}:
                    found.append(f"{kind}: {got}")
                continue
            if len(got) != len(steps):
                found.append(f"{kind}: {len(got)} replies to {len(steps)} commands")
            found += [f"{kind}: {command}: got {reply!r}, wanted {wanted!r}"
                      for (command, wanted), reply in zip(steps, got)
                      if not matches(reply, wanted)]
        if output["watch"] is not False:
            found.append("watch: the transaction ran although its key was changed")
        if not matches(output["after"], self.full["watch"]["after"][1]):
            found.append(f"watch: {output['after']!r} stands there afterwards")
        if sorted(output["subscribe"], key=str) != self.wanted_messages():
            found.append(f"subscribe: heard {output['subscribe']}")
        return found


class Scenarios(SharedMemberTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scenario = Scenario(cls.folder.name)

    def run_client(self, library, command, versions=("2", "3"), port=None):
        """Runs the program, which is told the scenario, the port and the version, per version."""
        if not os.path.exists(os.path.join(LIBRARIES, library)):
            self.skipTest("the library is not here: run tests/clients/setup")
        home = os.path.join(LIBRARIES, library.split("/")[0])
        for version in versions:
            words = [self.scenario.path, str(port or self.member.port), version]
            result = subprocess.run([*command, *words], cwd=home, capture_output=True,
                                    timeout=member.GUARD, check=False)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.assertEqual(self.scenario.problems(json.loads(result.stdout)), [], version)

    def python_client(self):
        return [os.path.join(LIBRARIES, "python", "bin", "python"),
                os.path.join(CLIENTS, "python", "scenario.py")]

    def test_the_scenario_has_sixty_commands(self):
        names = {command[0] for command, _ in self.scenario.full["commands"]}
        self.assertGreaterEqual(len(self.scenario.full["commands"]), 60)
        self.assertGreaterEqual(len(names), 50)

    def test_python_redis(self):
        self.run_client("python", self.python_client())

    def test_node_redis(self):
        program = os.path.join(CLIENTS, "node", "redis.js")
        self.run_client("node/node_modules/redis", ["node", program], versions=("2",))

    def test_node_ioredis(self):
        program = os.path.join(CLIENTS, "node", "ioredis.js")
        self.run_client("node/node_modules/ioredis", ["node", program], versions=("2",))

    def test_go_redis(self):
        self.run_client("go", [os.path.join(LIBRARIES, "go", "scenario")])

    def test_jedis(self):
        self.run_client("java", ["java", "-cp", "*:.", "JedisScenario"])

    def test_redis_cli(self):
        self.run_client(".", [sys.executable, os.path.join(CLIENTS, "cli", "scenario.py")])

    def test_redis_itself_answers_as_the_scenario_says(self):
        server = RedisServer()
        self.addCleanup(server.stop)
        self.run_client("python", self.python_client(), port=server.port)


if __name__ == "__main__":
    unittest.main()
