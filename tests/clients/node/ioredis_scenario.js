// SPDX-License-Identifier: Apache-2.0
// npm's ioredis against the server at the port given. Ends with 0 when every reply was right.
"use strict";
const assert = require("assert");
const { createRequire } = require("module");
const Redis = createRequire(process.cwd() + "/")("ioredis");

async function main(port) {
  const client = new Redis({ port });
  const check = assert.deepStrictEqual;
  await client.flushall();
  check(await client.set("a", "1"), "OK");
  check(await client.get("a"), "1");
  check(await client.set("a", "2", "EX", 100, "NX"), null);
  check(await client.setex("e", 100, "v"), "OK");
  check(await client.ttl("e"), 100);
  check(await client.incr("n"), 1);
  check(await client.incrbyfloat("f", 2.5), "2.5");
  check(await client.mset("x", "1", "y", "2"), "OK");
  check(await client.mget("x", "none", "y"), ["1", null, "2"]);
  check(await client.getrange("a", 0, -1), "1");
  check(await client.exists("a", "none"), 1);
  check(await client.copy("x", "z"), 1);
  check((await client.keys("?")).sort(), ["a", "e", "f", "n", "x", "y", "z"]);
  const [cursor, keys] = await client.scan(0, "COUNT", 1000);
  check([cursor, keys.length], ["0", 7]);
  const pipeline = client.pipeline();
  for (let i = 0; i < 500; i++) pipeline.set("p" + i, i);
  check((await pipeline.exec()).every(([error, reply]) => error === null && reply === "OK"), true);
  check(await client.multi().set("t", "1").incr("t").exec(), [[null, "OK"], [null, 2]]);
  await client.watch("t");
  check(await client.multi().get("t").exec(), [[null, "2"]]);
  const subscriber = client.duplicate();
  await subscriber.subscribe("news");
  const message = new Promise((resolve) => subscriber.on("message", (_, text) => resolve(text)));
  check(await client.publish("news", "hello"), 1);
  check(await message, "hello");
  subscriber.disconnect();
  await assert.rejects(client.call("NOSUCH"), /unknown command/);
  check(await client.unlink("a", "e", "none"), 2);
  await client.flushall();
  await client.quit();
}

main(Number(process.argv[2])).then(() => console.log("done"), (error) => {
  console.error(error);
  process.exit(1);
});
