#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same commands, sent to redis-server 7.0 and to a member, are answered with the same bytes.

Scripts are in redis_scripts/*.txt, a command a line, in shell quoting:

    GET key              both answer the same
    2: GET key           sent on a second connection
    * KEYS *             the items of the reply are compared without their order
    ~ OBJECT FREQ key    a difference that docs/redis.md names: both answer, and differ

Then commands are drawn at random, sent in pipelines, and compared too; a failure prints its seed.
"""
import glob
import os
import random
import re
import shlex
import unittest

import member
from member import Connection, Member, encode
from redis_server import RedisServer

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "redis_scripts")
RANDOM_COMMANDS = 4000
PIPELINE = 50


def read_raw(connection):
    """One reply as it came, and its items when it is an array."""
    line = connection.read_line()
    raw = line + b"\r\n"
    kind = line[:1]
    if kind in b"$=" and int(line[1:]) >= 0:
        return raw + connection.read(int(line[1:]) + 2), []
    items = []
    if kind in b"*~>%" and int(line[1:]) > 0:
        count = int(line[1:]) * (2 if kind == b"%" else 1)
        items = [read_raw(connection)[0] for _ in range(count)]
    return raw + b"".join(items), items


def without_time_left(raw):
    """The reply, where two clocks are asked one after the other, without the seconds left."""
    return re.sub(rb":(99[0-9]|1000|[0-9]{10})\r\n", b":left\r\n", raw)


def parse(text):
    """(flag, connection, words) of each command of a script."""
    for line in text.splitlines():
        flag = ""
        client = 1
        if line[:2] in ("* ", "~ "):
            flag, line = line[0], line[2:]
        if line[:2] == "2:":
            client, line = 2, line[2:]
        words = shlex.split(line, comments=True)
        if words:
            yield flag, client, words


class Pair(unittest.TestCase):
    """A redis-server and a member, to be told the same."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.redis = RedisServer()
        cls.addClassCleanup(cls.redis.stop)
        # On a busy machine any command may be slow, and be in the log.
        cls.member = Member({"debug.commands": "true", "slow.threshold": "1h"})
        cls.addClassCleanup(cls.member.stop)

    def _connect(self, version):
        pair = []
        for server in (self.redis, self.member):
            connection = Connection(server.port)
            self.addCleanup(connection.close)
            if version == 3:
                connection.send(encode("HELLO", "3"))
                read_raw(connection)
            pair.append(connection)
        return pair

    def _flush(self):
        for server in (self.redis, self.member):
            with Connection(server.port) as connection:
                self.assertEqual(connection.command("FLUSHALL"), "OK")


class SameReplies(Pair):
    def _run_script(self, path, version):
        self._flush()
        pairs = {1: self._connect(version), 2: self._connect(version)}
        with open(path, encoding="utf-8") as file:
            commands = list(parse(file.read()))
        self.assertGreater(len(commands), 0)
        for flag, client, words in commands:
            replies = []
            for connection in pairs[client]:
                connection.send(encode(*words))
                raw, items = read_raw(connection)
                replies.append(sorted(items) if flag == "*" else raw)
            with self.subTest(script=os.path.basename(path), version=version, command=words):
                if flag == "~":
                    self.assertNotEqual(replies[0], replies[1], "no difference any more")
                else:
                    self.assertEqual(replies[1], replies[0])

    def test_scripts_get_the_same_replies(self):
        paths = sorted(glob.glob(os.path.join(SCRIPTS, "*.txt")))
        self.assertGreater(len(paths), 3)
        for path in paths:
            for version in (2, 3):
                self._run_script(path, version)

    def test_many_things_are_counted_alike(self):
        self._flush()
        things = random.Random(5)
        pair = self._connect(2)
        commands = []
        for _ in range(30):
            many = [f"thing:{things.randrange(1 << 40)}" for _ in range(200)]
            some = [f"t{things.randrange(4000)}" for _ in range(90)]
            commands += [["PFADD", "many", *many], ["PFCOUNT", "many"]]
            commands += [["PFADD", "some", *some], ["PFCOUNT", "some"], ["PFCOUNT", "some", "many"]]
        commands += [["PFMERGE", "both", "many", "some"], ["PFCOUNT", "both"]]
        for words in commands:
            replies = []
            for connection in pair:
                connection.send(encode(*words))
                replies.append(read_raw(connection)[0])
            self.assertEqual(replies[1], replies[0], words[:2])

    def test_random_commands_get_the_same_replies(self):
        self._flush()
        # The same commands in every run, so that a failure is the change's; 0 looks further.
        seed = int(os.environ.get("FILBERT_TEST_SEED", "1")) or random.randrange(1, 1 << 32)
        source = Source(seed)
        pair = self._connect(2)
        for _ in range(RANDOM_COMMANDS // PIPELINE):
            commands = [source.command() for _ in range(PIPELINE)]
            for connection in pair:
                connection.send(b"".join(encode(*words) for words in commands))
            for words in commands:
                redis, filbert = (
                    without_time_left(read_raw(connection)[0]) for connection in pair
                )
                self.assertEqual(filbert, redis, f"FILBERT_TEST_SEED={seed}: {words}")


MARK = "__key marks what has been told__"


class SameMessages(Pair):
    """Who subscribes to what is done to keys gets the same messages, command by command."""

    def _switch(self, classes):
        for server in (self.redis, self.member):
            with Connection(server.port) as connection:
                reply = connection.command("CONFIG", "SET", "notify-keyspace-events", classes)
                self.assertEqual(reply, "OK")

    def _listen(self):
        listeners = self._connect(2)
        for listener in listeners:
            listener.send(encode("PSUBSCRIBE", "__key*"))
            read_raw(listener)
        return listeners

    def _messages(self, listener, publisher):
        """What the listener has got until now; keys that expire do it when they like."""
        publisher.send(encode("PUBLISH", MARK, "x"))
        read_raw(publisher)
        messages = []
        while True:
            _, items = read_raw(listener)
            channel, text = (item.split(b"\r\n", 1)[1][:-2] for item in items[2:])
            if channel == MARK.encode():
                return messages
            if b"expired" not in (text, channel[-7:]):
                messages.append((channel, text))

    def _run_script(self, path, classes):
        self._flush()
        self._switch(classes)
        self.addCleanup(self._switch, "")
        pairs = {1: self._connect(2), 2: self._connect(2)}
        listeners, publishers = self._listen(), self._connect(2)
        with open(path, encoding="utf-8") as file:
            commands = list(parse(file.read()))
        told = 0
        for flag, client, words in commands:
            for connection in pairs[client]:
                connection.send(encode(*words))
                read_raw(connection)
            redis, filbert = (self._messages(*ends) for ends in zip(listeners, publishers))
            told += len(redis)
            with self.subTest(script=os.path.basename(path), classes=classes, command=words):
                # What waits, and finds its partition busy, looks for its key only there.
                waits = classes == "Em" and "BLOCK" in words
                if flag != "~" and not waits:
                    self.assertEqual(filbert, redis)
        self._switch("")
        return told

    def test_scripts_give_the_same_messages(self):
        told = 0
        for path in sorted(glob.glob(os.path.join(SCRIPTS, "*.txt"))):
            if os.path.basename(path) != "server.txt":
                told += self._run_script(path, "AKEn")
        self.assertGreater(told, 1000)

    def test_keys_that_are_missed_are_told_alike(self):
        told = 0
        for path in sorted(glob.glob(os.path.join(SCRIPTS, "*.txt"))):
            if os.path.basename(path) != "server.txt":
                told += self._run_script(path, "Em")
        self.assertGreater(told, 100)

    def test_keys_that_expire_are_told(self):
        self._flush()
        self._switch("Ex")
        self.addCleanup(self._switch, "")
        listeners = self._listen()
        text, items = ["SET", "text", "v", "PX", "5"], ["RPUSH", "list", "a"]
        for words in (text, items, ["PEXPIRE", "list", "5"]):
            for connection in self._connect(2):
                connection.send(encode(*words))
                read_raw(connection)
        redis, filbert = (sorted(read_raw(listener)[0] for _ in "12") for listener in listeners)
        self.assertEqual(filbert, redis)

    def test_classes_are_told_as_they_are_kept(self):
        pair = self._connect(2)
        self.addCleanup(self._switch, "")
        for classes in ("KEA", "Kg$lshzxetd", "", "Elm", "KEAmn", "nK$", "x", "Kq", "tdg"):
            for words in (["SET", "notify-keyspace-events", classes], ["GET", "notify-key*"]):
                replies = []
                for connection in pair:
                    connection.send(encode("CONFIG", *words))
                    replies.append(read_raw(connection)[0])
                self.assertEqual(replies[1], replies[0], words)

    def test_nothing_is_told_when_it_is_off(self):
        self._switch("")
        listeners, publishers = self._listen(), self._connect(2)
        for connection in self._connect(2):
            connection.send(encode("SET", "k", "v"))
            read_raw(connection)
        for ends in zip(listeners, publishers):
            self.assertEqual(self._messages(*ends), [])


class Source:
    """Commands drawn from a seed, on few keys, so that they meet."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_in_transaction = False

    def _key(self):
        return f"key:{self.random.randrange(12)}"

    def _value(self):
        drawn = self.random
        return drawn.choice(
            [
                str(drawn.randrange(-1000, 1000)),
                "x" * drawn.randrange(0, 60),
                "3.5",
                str((1 << 63) - drawn.randrange(1, 3)),
                "long" * drawn.randrange(0, 300),
                "",
            ]
        )

    def _small(self):
        return str(self.random.randrange(-40, 60))

    def _some(self, make, most=6):
        return [word for _ in range(self.random.randrange(1, most)) for word in make()]

    def command(self):
        drawn = self.random.random()
        if drawn < 0.03:
            self.is_in_transaction = not self.is_in_transaction
            ends = self.random.choice(["EXEC", "DISCARD"])
            return ["MULTI"] if self.is_in_transaction else [ends]
        if drawn < 0.05 and not self.is_in_transaction:
            return self.random.choice([["WATCH", self._key()], ["UNWATCH"]])
        key, value = self._key, self._value

        def drawn_number():
            return self.random.randrange(9)

        choices = [
            lambda: ["GET", key()],
            lambda: ["SET", key(), value()],
            lambda: ["SET", key(), value(), *self._options()],
            lambda: ["GETSET", key(), value()],
            lambda: ["GETDEL", key()],
            lambda: ["GETEX", key(), *self.random.choice([["PERSIST"], ["EX", "1000"], []])],
            lambda: ["SETNX", key(), value()],
            lambda: ["SETEX", key(), "1000", value()],
            lambda: ["APPEND", key(), value()],
            lambda: ["STRLEN", key()],
            lambda: ["GETRANGE", key(), self._small(), self._small()],
            lambda: ["SUBSTR", key(), self._small(), self._small()],
            lambda: ["SETRANGE", key(), self._small(), value()],
            lambda: ["INCR", key()],
            lambda: ["DECR", key()],
            lambda: ["INCRBY", key(), value()],
            lambda: ["DECRBY", key(), value()],
            lambda: ["INCRBYFLOAT", key(), self.random.choice(["1.5", "-0.25", "1e3", "x"])],
            lambda: ["DEL", *self._some(lambda: [key()])],
            lambda: ["UNLINK", *self._some(lambda: [key()])],
            lambda: ["EXISTS", *self._some(lambda: [key()])],
            lambda: ["TOUCH", *self._some(lambda: [key()])],
            lambda: ["MGET", *self._some(lambda: [key()], 40)],
            lambda: ["MSET", *self._some(lambda: [key(), value()], 20)],
            lambda: ["MSETNX", *self._some(lambda: [key(), value()], 4)],
            lambda: ["RENAME", key(), key()],
            lambda: ["RENAMENX", key(), key()],
            lambda: ["COPY", key(), key(), *self.random.choice([[], ["REPLACE"], ["DB", "1"]])],
            lambda: ["MOVE", key(), "1"],
            lambda: ["TYPE", key()],
            lambda: ["TTL", key()],
            lambda: ["EXPIRE", key(), "1000", *self.random.choice([[], ["NX"], ["XX"]])],
            lambda: ["EXPIREAT", key(), 4000000000 + drawn_number(), *self._condition()],
            lambda: ["PEXPIREAT", key(), self.random.choice(["1", "-5", "4100000000000"])],
            lambda: ["PERSIST", key()],
            lambda: ["DBSIZE"],
            lambda: ["SELECT", self.random.choice(["0", "0", "0", "1", "16", "x"])],
            lambda: ["ECHO", value()],
            lambda: [self._push(), key(), *self._some(lambda: [value()], 4)],
            lambda: [self._push(), key(), *self._some(lambda: [value()], 4)],
            lambda: [self.random.choice(["LPOP", "RPOP"]), key()],
            lambda: [self.random.choice(["LPOP", "RPOP"]), key(), self._small()],
            lambda: ["LLEN", key()],
            lambda: ["LINDEX", key(), self._small()],
            lambda: ["LRANGE", key(), self._small(), self._small()],
            lambda: ["LSET", key(), str(drawn_number() - 4), value()],
            lambda: ["LREM", key(), str(drawn_number() - 4), value()],
            lambda: ["LTRIM", key(), str(drawn_number() - 4), self._small()],
            lambda: ["LINSERT", key(), self.random.choice(["BEFORE", "AFTER"]), value(), value()],
            lambda: ["LPOS", key(), value(), "RANK", self._small(), "COUNT", drawn_number()],
            lambda: ["LMOVE", key(), key(), self._side(), self._side()],
            lambda: ["RPOPLPUSH", key(), key()],
            *self._member_choices(),
            *self._bit_choices(),
            *self._stream_choices(),
        ]
        return self.random.choice(choices)()

    def _member_choices(self):
        """Commands on members whose replies have one order: few members, and no large ones."""
        key, drawn = self._key, self.random

        def member():
            return f"m{drawn.randrange(6)}"

        def score():
            return drawn.choice(["1", "2", "-3", "0.5", "inf", "x"])

        return [
            lambda: ["HSET", key(), *self._some(lambda: [member(), score()], 4)],
            lambda: ["HSET", key(), member(), score()],
            lambda: ["HGET", key(), member()],
            lambda: ["HDEL", key(), *self._some(lambda: [member()], 4)],
            lambda: ["HINCRBY", key(), member(), drawn.randrange(-5, 5)],
            lambda: ["HSETNX", key(), member(), score()],
            lambda: ["HGETALL", key()],
            lambda: ["HMGET", key(), member(), member()],
            lambda: ["SADD", key(), *self._some(lambda: [member()], 4)],
            lambda: ["SREM", key(), member()],
            lambda: ["SMISMEMBER", key(), member(), member()],
            lambda: ["SCARD", key()],
            lambda: ["SMOVE", key(), key(), member()],
            lambda: [drawn.choice(["SINTERSTORE", "SUNIONSTORE"]), key(), key(), key()],
            lambda: ["SDIFFSTORE", key(), key(), key()],
            lambda: ["SINTERCARD", "2", key(), key()],
            lambda: ["ZADD", key(), *self._some(lambda: [score(), member()], 4)],
            lambda: ["ZADD", key(), drawn.choice(["NX", "XX", "GT", "LT", "CH"]), "2", member()],
            lambda: ["ZINCRBY", key(), score(), member()],
            lambda: ["ZREM", key(), member()],
            lambda: ["ZRANGE", key(), self._small(), self._small(), "WITHSCORES"],
            lambda: ["ZRANGEBYSCORE", key(), "-5", "(2", "LIMIT", drawn.randrange(3), "2"],
            lambda: ["ZREVRANK", key(), member()],
            lambda: [drawn.choice(["ZPOPMIN", "ZPOPMAX"]), key(), drawn.randrange(3)],
            lambda: ["ZUNIONSTORE", key(), "2", key(), key(), "AGGREGATE", "MAX"],
            lambda: ["ZINTER", "2", key(), key(), "WITHSCORES"],
            lambda: ["ZREMRANGEBYRANK", key(), "1", "2"],
        ]

    def _bit_choices(self):
        key, drawn = self._key, self.random

        def step():
            field = [drawn.choice(["u1", "i5", "u8", "i16", "u63", "i64"]), drawn.randrange(90)]
            number = drawn.choice([1, -1, 100, -300, (1 << 63) - 1, -(1 << 63)])
            return drawn.choice(
                [
                    ["GET", *field],
                    ["SET", *field, number],
                    ["INCRBY", *field, number],
                    ["OVERFLOW", drawn.choice(["WRAP", "SAT", "FAIL"])],
                ]
            )

        return [
            lambda: ["SETBIT", key(), drawn.randrange(300), drawn.randrange(2)],
            lambda: ["GETBIT", key(), drawn.randrange(300)],
            lambda: ["BITCOUNT", key(), self._small(), self._small(), self._unit()],
            lambda: ["BITPOS", key(), drawn.randrange(2)],
            lambda: ["BITPOS", key(), drawn.randrange(2), self._small()],
            lambda: ["BITPOS", key(), drawn.randrange(2), *self._span(), self._unit()],
            lambda: ["BITOP", drawn.choice(["AND", "OR", "XOR"]), key(), key(), key()],
            lambda: ["BITOP", "NOT", key(), key()],
            lambda: ["BITFIELD", key(), *self._some(step)],
            lambda: ["PFADD", self._sketch(), *self._some(lambda: [self._value()])],
            lambda: ["PFCOUNT", self._sketch(), self._sketch()],
            lambda: ["PFMERGE", self._sketch(), self._sketch()],
        ]

    def _stream_choices(self):
        key, drawn = self._key, self.random

        def entry_id():
            whole = drawn.randrange(40)
            return drawn.choice([f"{drawn.randrange(20)}-{drawn.randrange(4)}", whole])

        def trim():
            return drawn.choice(
                [[], ["MAXLEN", drawn.randrange(8)], ["MINID", entry_id()], ["NOMKSTREAM"]]
            )

        return [
            lambda: ["XADD", key(), *trim(), entry_id(), "field", self._value()],
            lambda: ["XADD", key(), *trim(), f"{drawn.randrange(40)}-*", "a", "1", "b", "2"],
            lambda: ["XLEN", key()],
            lambda: ["XRANGE", key(), drawn.choice(["-", entry_id()]), "+", "COUNT", "5"],
            lambda: ["XREVRANGE", key(), f"({entry_id()}", entry_id()],
            lambda: ["XREAD", "COUNT", "3", "STREAMS", key(), key(), entry_id(), entry_id()],
            lambda: ["XDEL", key(), entry_id(), entry_id()],
            lambda: ["XTRIM", key(), *drawn.choice([["MAXLEN", "3"], ["MINID", entry_id()]])],
            lambda: ["XSETID", key(), entry_id()],
        ]

    def _sketch(self):
        return f"sketch:{self.random.randrange(4)}"

    def _span(self):
        return [self._small(), self._small()]

    def _unit(self):
        return self.random.choice(["BYTE", "BIT"])

    def _push(self):
        return self.random.choice(["LPUSH", "RPUSH", "LPUSHX", "RPUSHX"])

    def _side(self):
        return self.random.choice(["LEFT", "RIGHT"])

    def _options(self):
        words = [["NX"], ["XX"], ["GET"], ["KEEPTTL"], ["EX", "1000"], ["PXAT", "4000000000000"]]
        return [word for option in self.random.sample(words, 2) for word in option]

    def _condition(self):
        return self.random.choice([[], [], ["NX"], ["XX"], ["GT"], ["LT"], ["NX", "GT"]])


if __name__ == "__main__":
    unittest.main()
