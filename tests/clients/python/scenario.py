# SPDX-License-Identifier: Apache-2.0
"""Python's redis through scenario.json; see ../README.md for what a program has to do.

    scenario.py SCENARIO PORT VERSION
"""
import json
import sys

import redis


def canonical(reply):
    """A reply as JSON has it; what RESP 3 knows beside is as RESP 2 has it."""
    if isinstance(reply, redis.ResponseError):
        return {"error": str(reply)}
    if isinstance(reply, dict):
        return [canonical(part) for pair in reply.items() for part in pair]
    if isinstance(reply, (list, tuple)):
        return [canonical(part) for part in reply]
    return reply


def run(target, command):
    try:
        return canonical(target.execute_command(*command))
    except redis.ResponseError as error:
        return canonical(error)


def run_pipeline(client, commands):
    with client.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return canonical(pipe.execute(raise_on_error=False))


def run_transaction(client, commands):
    with client.pipeline() as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return canonical(pipe.execute())


def run_watch(client, watch):
    """Whether the transaction ran although another connection has changed the key."""
    with client.pipeline() as pipe:
        pipe.watch(watch["key"])
        client.execute_command(*watch["change"])
        pipe.multi()
        for command in watch["commands"]:
            pipe.execute_command(*command)
        try:
            pipe.execute()
            return True
        except redis.WatchError:
            return False


def run_subscribe(client, subscribe):
    subscriber = client.pubsub()
    subscriber.subscribe(subscribe["channel"])
    subscriber.psubscribe(subscribe["pattern"])
    for _ in range(2):  # the confirmations: from now on nothing is missed
        subscriber.get_message(timeout=10)
    for message in subscribe["messages"]:
        client.publish(subscribe["channel"], message)
    heard = [subscriber.get_message(timeout=10) for _ in range(2 * len(subscribe["messages"]))]
    subscriber.close()
    return [[message["pattern"], message["channel"], message["data"]] for message in heard]


def main(path, port, version):
    with open(path, encoding="utf-8") as file:
        scenario = json.load(file)
    client = redis.Redis(port=port, protocol=version, decode_responses=True)
    single = redis.Redis(
        port=port, protocol=version, decode_responses=True, single_connection_client=True
    )
    for each in (client, single):
        each.response_callbacks.clear()
    print(json.dumps({
        "commands": [run(single, command) for command in scenario["commands"]],
        "pipeline": run_pipeline(client, scenario["pipeline"]),
        "transaction": run_transaction(client, scenario["transaction"]),
        "watch": run_watch(client, scenario["watch"]),
        "after": run(client, scenario["watch"]["after"]),
        "subscribe": run_subscribe(client, scenario["subscribe"]),
    }))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
