# SPDX-License-Identifier: Apache-2.0
"""redis-cli through scenario.json; see ../README.md for what a program has to do.

    scenario.py SCENARIO PORT VERSION

Of a pipeline redis-cli tells only how many replies it got, and how many errors.
"""
import json
import re
import subprocess
import sys


# Replies that redis-cli does not put into JSON.
RAW = (["INFO"], ["CLIENT", "INFO"], ["CLIENT", "LIST"])
MARK = "the end of a raw reply"


def encode(command):
    words = [word.encode() for word in command]
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def quote(command):
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in command)
    return " ".join(f'"{word}"' for word in escaped) + "\n"


def canonical(reply):
    """Of an object, which is a map of RESP 3, a list, as in RESP 2."""
    if isinstance(reply, dict):
        return [canonical(part) for pair in reply.items() for part in pair]
    return [canonical(part) for part in reply] if isinstance(reply, list) else reply


def read_reply(stream):
    line = stream.readline().strip()
    if line.startswith("Reading messages"):
        line = stream.readline().strip()
    if line.startswith("error:"):
        return {"error": json.loads(line.removeprefix("error:"))}
    return canonical(json.loads(line))


class Cli:
    """A redis-cli that is told one command after the other."""

    def __init__(self, port, version, *command):
        self.process = subprocess.Popen(
            ["redis-cli", "-p", port, "-" + version, "--json", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1,
        )

    def run(self, command):
        self.process.stdin.write(quote(command))
        if command[:2] in RAW or command[:1] in RAW:
            return self._read_raw()
        return read_reply(self.process.stdout)

    def _read_raw(self):
        """What redis-cli shows as it came, up to the reply to another command."""
        self.process.stdin.write(quote(["ECHO", MARK]))
        lines = []
        while not lines or json.dumps(MARK) not in lines[-1]:
            lines.append(self.process.stdout.readline())
        return "".join(lines[:-1])

    def run_transaction(self, commands):
        self.run(["MULTI"])
        for command in commands:
            self.run(command)
        return self.run(["EXEC"])

    def close(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


def run_pipeline(port, commands):
    result = subprocess.run(
        ["redis-cli", "-p", port, "--pipe"], input=b"".join(map(encode, commands)),
        capture_output=True, check=False,
    )
    errors, replies = re.search(rb"errors: (\d+), replies: (\d+)", result.stdout).groups()
    return {"errors": int(errors), "replies": int(replies)}


def run_watch(client, other, watch):
    client.run(["WATCH", watch["key"]])
    other.run(watch["change"])
    return client.run_transaction(watch["commands"]) is not None


def run_subscribe(client, port, version, subscribe):
    heard = []
    by_name = Cli(port, version, "SUBSCRIBE", subscribe["channel"])
    by_pattern = Cli(port, version, "PSUBSCRIBE", subscribe["pattern"])
    for listener in (by_name, by_pattern):
        read_reply(listener.process.stdout)
    for message in subscribe["messages"]:
        client.run(["PUBLISH", subscribe["channel"], message])
        heard.append([None] + read_reply(by_name.process.stdout)[1:])
        heard.append(read_reply(by_pattern.process.stdout)[1:])
    by_name.close()
    by_pattern.close()
    return heard


def main(path, port, version):
    with open(path, encoding="utf-8") as file:
        scenario = json.load(file)
    client, other = Cli(port, version), Cli(port, version)
    print(json.dumps({
        "commands": [client.run(command) for command in scenario["commands"]],
        "pipeline": run_pipeline(port, scenario["pipeline"]),
        "transaction": client.run_transaction(scenario["transaction"]),
        "watch": run_watch(client, other, scenario["watch"]),
        "after": client.run(scenario["watch"]["after"]),
        "subscribe": run_subscribe(client, port, version, scenario["subscribe"]),
    }))
    client.close()
    other.close()


main(*sys.argv[1:])
