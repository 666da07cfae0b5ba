// SPDX-License-Identifier: Apache-2.0
// How fast the Node.js client is: hazelcast_measure.js ADDRESS one|many|getall|putall SECONDS.
// Prints a line of JSON: calls, the seconds they took, and the median of a call in microseconds.
// bench/hazelcast_compare runs it.
'use strict';

const { createRequire } = require('module');

const { Client } = createRequire(process.cwd() + '/')('hazelcast-client');

const IN_FLIGHT = 256;
const BATCH = 1000;
const VALUE = 'v'.repeat(100);
const [address, kind, seconds] = process.argv.slice(2);

const now = () => Number(process.hrtime.bigint()) / 1e9;

async function callUntil(call, end, times) {
    for (let begin = now(); begin < end;) {
        await call();
        const done = now();
        times.push(done - begin);
        begin = done;
    }
}

async function main() {
    const client = await Client.newHazelcastClient({
        network: { clusterMembers: [address] },
        properties: { 'hazelcast.logging.level': 'OFF' },
    });
    const map = await client.getMap('measure');
    const batch = Array.from({ length: BATCH }, (_, i) => [`key-${i}`, VALUE]);
    await map.putAll(batch);
    await map.set('k', VALUE);
    const keys = batch.map(([key]) => key);
    const call = {
        one: () => map.get('k'),
        many: () => map.get('k'),
        getall: () => map.getAll(keys),
        putall: () => map.putAll(batch),
    }[kind];
    const times = [];
    const begin = now();
    const callers = Array.from({ length: kind === 'many' ? IN_FLIGHT : 1 },
        () => callUntil(call, begin + Number(seconds), times));
    await Promise.all(callers);
    const found = { calls: times.length, seconds: now() - begin };
    times.sort((a, b) => a - b);
    found.p50_us = times[times.length >> 1] * 1e6;
    await client.shutdown();
    console.log(JSON.stringify(found));
}

main().then(() => process.exit(0), (error) => {
    console.error(error);
    process.exit(1);
});
