// SPDX-License-Identifier: Apache-2.0
// npm's redis through scenario.json: redis.js SCENARIO PORT
"use strict";
const { createRequire } = require("module");
const { createClient } = createRequire(process.cwd() + "/")("redis");
const { canonical, runEach, hear, start } = require("./scenario.js");

async function connect(port) {
  const client = createClient({ socket: { port } });
  client.on("error", (error) => { throw error; });
  await client.connect();
  return client;
}

function gather(multi, commands) {
  return commands.reduce((all, command) => all.addCommand(command), multi);
}

async function runWatch(client, watch) {
  return client.executeIsolated(async (isolated) => {
    await isolated.watch(watch.key);
    await client.sendCommand(watch.change);
    return gather(isolated.multi(), watch.commands).exec().then(() => true, () => false);
  });
}

async function runSubscribe(client, port, subscribe) {
  const subscriber = await connect(port);
  const heard = await hear(subscribe, async (tell) => {
    await subscriber.subscribe(subscribe.channel, (text, channel) => tell(null, channel, text));
    await subscriber.pSubscribe(subscribe.pattern,
      (text, channel) => tell(subscribe.pattern, channel, text));
  }, (channel, message) => client.publish(channel, message));
  await subscriber.quit();
  return heard;
}

start(async (scenario, port) => {
  const client = await connect(port);
  const result = {
    commands: await runEach(scenario.commands, (command) => client.sendCommand(command)),
    pipeline: canonical(await gather(client.multi(), scenario.pipeline).execAsPipeline()),
    transaction: canonical(await gather(client.multi(), scenario.transaction).exec()),
    watch: await runWatch(client, scenario.watch),
    after: await client.sendCommand(scenario.watch.after),
    subscribe: await runSubscribe(client, port, scenario.subscribe),
  };
  await client.quit();
  return result;
});
