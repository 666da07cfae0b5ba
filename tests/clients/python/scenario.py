# SPDX-License-Identifier: Apache-2.0
"""Python's redis against the server at the port given: sixty commands, a pipeline, a transaction
and publish and subscribe. Ends with 0 when every reply was right.
"""
import sys

import redis

client = redis.Redis(port=int(sys.argv[1]), protocol=int(sys.argv[2]), decode_responses=True)
count = 0


def check(got, wanted):
    global count
    count += 1
    if got != wanted:
        sys.exit(f"step {count}: got {got!r}, wanted {wanted!r}")


check(client.ping(), True)
check(client.flushall(), True)
check(client.set("a", "1"), True)
check(client.get("a"), "1")
check(client.get("none"), None)
check(client.set("a", "2", nx=True), None)
check(client.set("a", "2", xx=True), True)
check(client.set("a", "3", get=True), "2")
check(client.set("t", "v", ex=100), True)
check(client.ttl("t"), 100)
check(client.set("t", "w", keepttl=True), True)
check(client.ttl("t"), 100)
check(client.persist("t"), True)
check(client.ttl("t"), -1)
check(client.expire("t", 50), True)
check(client.expire("t", 40, gt=True), False)
check(client.pexpireat("t", 4000000000000), True)
check(client.pexpiretime("t"), 4000000000000)
check(client.setnx("n", "1"), True)
check(client.setnx("n", "1"), False)
check(client.setex("s", 10, "x"), True)
check(client.psetex("s", 10000, "x"), True)
check(client.getset("s", "y"), "x")
check(client.getdel("s"), "y")
check(client.getex("t", persist=True), "w")
check(client.append("p", "hello"), 5)
check(client.append("p", " world"), 11)
check(client.strlen("p"), 11)
check(client.getrange("p", 0, 4), "hello")
check(client.setrange("p", 6, "Redis"), 11)
check(client.get("p"), "hello Redis")
check(client.incr("i"), 1)
check(client.incrby("i", 9), 10)
check(client.decr("i"), 9)
check(client.decrby("i", 4), 5)
check(client.incrbyfloat("f", 1.5), 1.5)
check(client.mset({"m1": "1", "m2": "2", "m3": "3"}), True)
check(client.mget("m1", "none", "m3"), ["1", None, "3"])
check(client.msetnx({"m3": "x", "m4": "y"}), False)
check(client.exists("m1", "m2", "none"), 2)
check(client.touch("m1"), 1)
check(client.type("m1"), "string")
check(client.rename("m1", "r1"), True)
check(client.renamenx("r1", "m2"), False)
check(client.copy("r1", "c1"), True)
check(client.delete("r1", "c1", "none"), 2)
check(client.unlink("m2"), 1)
check(sorted(client.keys("m*")), ["m3"])
check(sorted(client.scan_iter(count=3)), sorted(client.keys("*")))
check(client.randomkey() is not None, True)
check(client.dbsize(), len(client.keys("*")))
check(client.object("encoding", "i"), "int")
check(client.memory_usage("i") > 0, True)
check(client.client_setname("scenario"), True)
check(client.client_getname(), "scenario")
check(client.client_id() > 0, True)
check(client.config_get("databases"), {"databases": "16"})
check(client.info("server")["redis_mode"], "standalone")
check(client.command_count() > 60, True)
check(client.slowlog_len() >= 0, True)
check(client.echo("hi"), "hi")
check(len(client.time()), 2)

with client.pipeline(transaction=False) as pipe:
    for i in range(500):
        pipe.set(f"pipe:{i}", i)
    for i in range(500):
        pipe.get(f"pipe:{i}")
    check(pipe.execute(), [True] * 500 + [str(i) for i in range(500)])

with client.pipeline() as pipe:
    check(pipe.set("x", 1).incr("x").mget("x", "none").execute(), [True, 2, ["2", None]])
    pipe.watch("x")
    value = int(pipe.get("x"))
    pipe.multi()
    pipe.set("x", value + 1)
    check(pipe.execute(), [True])
    pipe.watch("x")
    client.set("x", "other")
    pipe.multi()
    pipe.set("x", "mine")
    try:
        pipe.execute()
        check("ran", "WatchError")
    except redis.WatchError:
        check(client.get("x"), "other")

subscriber = client.pubsub()
subscriber.subscribe("news")
subscriber.psubscribe("n*")
check([subscriber.get_message(timeout=10)["type"] for _ in range(2)], ["subscribe", "psubscribe"])
check(client.publish("news", "hello"), 2)
check([subscriber.get_message(timeout=10)["data"] for _ in range(2)], ["hello", "hello"])
subscriber.close()

try:
    client.execute_command("NOSUCH")
    check("ran", "error")
except redis.ResponseError as error:
    check("unknown command" in str(error), True)

other = redis.Redis(port=int(sys.argv[1]), db=3, decode_responses=True)
check(other.get("x"), None)
check(other.set("x", "in 3"), True)
check(client.get("x"), "other")
check(other.flushdb(), True)
check(client.get("x"), "other")
check(client.flushall(), True)
print(f"{count} steps")
