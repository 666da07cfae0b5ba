// SPDX-License-Identifier: Apache-2.0
// npm's ioredis through scenario.json: ioredis.js SCENARIO PORT
"use strict";
const { createRequire } = require("module");
const Redis = createRequire(process.cwd() + "/")("ioredis");
const { canonical, runEach, hear, start } = require("./scenario.js");

function gather(pipeline, commands) {
  return commands.reduce((all, [name, ...words]) => all.call(name, ...words), pipeline);
}

/** ioredis gives [error, reply] for each command. */
function replies(pairs) {
  return pairs.map(([error, reply]) => canonical(error || reply));
}

async function runWatch(client, watch) {
  const other = client.duplicate();
  await client.watch(watch.key);
  await other.call(...watch.change);
  other.disconnect();
  return (await gather(client.multi(), watch.commands).exec()) !== null;
}

async function runSubscribe(client, subscribe) {
  const subscriber = client.duplicate();
  const heard = await hear(subscribe, async (tell) => {
    subscriber.on("message", (channel, text) => tell(null, channel, text));
    subscriber.on("pmessage", (pattern, channel, text) => tell(pattern, channel, text));
    await subscriber.subscribe(subscribe.channel);
    await subscriber.psubscribe(subscribe.pattern);
  }, (channel, message) => client.publish(channel, message));
  subscriber.disconnect();
  return heard;
}

start(async (scenario, port) => {
  const client = new Redis({ port });
  const result = {
    commands: await runEach(scenario.commands, (command) => client.call(...command)),
    pipeline: replies(await gather(client.pipeline(), scenario.pipeline).exec()),
    transaction: replies(await gather(client.multi(), scenario.transaction).exec()),
    watch: await runWatch(client, scenario.watch),
    after: await client.call(...scenario.watch.after),
    subscribe: await runSubscribe(client, scenario.subscribe),
  };
  await client.quit();
  return result;
});
