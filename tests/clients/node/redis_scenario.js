// SPDX-License-Identifier: Apache-2.0
// npm's redis against the server at the port given. Ends with 0 when every reply was right.
"use strict";
const assert = require("assert");
const { createRequire } = require("module");
const { createClient } = createRequire(process.cwd() + "/")("redis");

async function main(port) {
  const client = createClient({ socket: { port } });
  client.on("error", (error) => { throw error; });
  await client.connect();
  const check = assert.deepStrictEqual;
  await client.flushAll();
  check(await client.set("a", "1"), "OK");
  check(await client.get("a"), "1");
  check(await client.get("none"), null);
  check(await client.set("a", "2", { NX: true }), null);
  check(await client.set("a", "2", { EX: 100, GET: true }), "1");
  check(await client.ttl("a"), 100);
  check(await client.persist("a"), true);
  check(await client.incrBy("n", 5), 5);
  check(await client.decr("n"), 4);
  check(await client.incrByFloat("f", 1.5), "1.5");
  check(await client.append("s", "hello"), 5);
  check(await client.getRange("s", 1, 2), "el");
  check(await client.strLen("s"), 5);
  check(await client.mSet({ x: "1", y: "2" }), "OK");
  check(await client.mGet(["x", "none", "y"]), ["1", null, "2"]);
  check(await client.rename("x", "z"), "OK");
  check(await client.exists(["z", "x"]), 1);
  check((await client.keys("*")).sort(), ["a", "f", "n", "s", "y", "z"]);
  const seen = [];
  for await (const key of client.scanIterator({ COUNT: 2 })) seen.push(key);
  check(seen.sort(), ["a", "f", "n", "s", "y", "z"]);
  check(await client.dbSize(), 6);
  const all = [];
  for (let i = 0; i < 500; i++) all.push(client.set("p" + i, String(i)));
  await Promise.all(all);
  check(await client.get("p499"), "499");
  check(await client.multi().set("t", "1").incr("t").get("t").exec(), ["OK", 2, "2"]);
  const subscriber = client.duplicate();
  await subscriber.connect();
  const message = new Promise((resolve) => subscriber.subscribe("news", resolve).then(() =>
    client.publish("news", "hello")));
  check(await message, "hello");
  await subscriber.quit();
  await assert.rejects(client.sendCommand(["NOSUCH"]), /unknown command/);
  check(await client.del(["a", "n", "none"]), 2);
  await client.flushAll();
  await client.quit();
}

main(Number(process.argv[2])).then(() => console.log("done"), (error) => {
  console.error(error);
  process.exit(1);
});
