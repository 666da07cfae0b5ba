// SPDX-License-Identifier: Apache-2.0
// What the programs for npm's redis and ioredis share; see ../README.md.
"use strict";
const fs = require("fs");

/** A reply as JSON has it. */
function canonical(reply) {
  if (reply instanceof Error) return { error: reply.message };
  return Array.isArray(reply) ? reply.map(canonical) : reply;
}

/** One after the other, for each stands on the ones before it. */
async function runEach(commands, send) {
  const replies = [];
  for (const command of commands) {
    replies.push(canonical(await send(command).catch((error) => error)));
  }
  return replies;
}

/** Publishes once all is subscribed, and waits until everything was heard. */
async function hear(subscribe, listen, publish) {
  const heard = [];
  const wanted = 2 * subscribe.messages.length;
  let finish;
  const finished = new Promise((resolve) => { finish = resolve; });
  await listen((pattern, channel, text) => {
    heard.push([pattern, channel, text]);
    if (heard.length === wanted) finish();
  });
  for (const message of subscribe.messages) await publish(subscribe.channel, message);
  await finished;
  return heard;
}

/** Runs main(scenario, port) and prints what it found. */
function start(main) {
  const [, , path, port] = process.argv;
  const scenario = JSON.parse(fs.readFileSync(path, "utf8"));
  main(scenario, Number(port)).then(
    (result) => console.log(JSON.stringify(result)),
    (error) => {
      console.error(error);
      process.exit(1);
    });
}

module.exports = { canonical, runEach, hear, start };
