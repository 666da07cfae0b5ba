// SPDX-License-Identifier: Apache-2.0
// What the Node.js client does with the structures beside maps: hazelcast_structures.js ADDRESS.
// Ends with 0 when all is as its documentation says. (It has no plain topics and no estimators.)
'use strict';

const assert = require('assert');
const crypto = require('crypto');
const { createRequire } = require('module');

const { Client } = createRequire(process.cwd() + '/')('hazelcast-client');

const GUARD = 60000;
const [address] = process.argv.slice(2);

function connect() {
    return Client.newHazelcastClient({
        network: { clusterMembers: [address] },
        connectionStrategy: { connectionRetry: { clusterConnectTimeoutMillis: GUARD } },
        properties: { 'hazelcast.logging.level': 'OFF' },
    });
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(isDone, what) {
    for (const end = Date.now() + GUARD; Date.now() < end; await pause(5)) {
        if (await isDone()) {
            return;
        }
    }
    throw new Error(`gave up waiting for ${what}`);
}

const newName = () => `node-${crypto.randomUUID()}`;
const number = (value) => Number(value);

const tests = {
    async queue(client) {
        const queue = await client.getQueue(newName());
        const told = [];
        await queue.addItemListener({
            itemAdded: (event) => told.push(`+${event.item}`),
            itemRemoved: (event) => told.push(`-${event.item}`),
        }, true);
        assert.strictEqual(await queue.offer('a'), true);
        await queue.put('b');
        assert.strictEqual(await queue.addAll(['c', 'd', 'e']), true);
        assert.strictEqual(await queue.peek(), 'a');
        assert.strictEqual(await queue.poll(), 'a');
        assert.strictEqual(await queue.take(), 'b');
        assert.deepStrictEqual(await queue.toArray(), ['c', 'd', 'e']);
        assert.strictEqual(await queue.contains('c'), true);
        assert.strictEqual(await queue.containsAll(['c', 'd']), true);
        assert.strictEqual(await queue.removeAll(['d']), true);
        assert.strictEqual(await queue.retainAll(['c']), true);
        assert.strictEqual(await queue.size(), 1);
        const drained = [];
        assert.strictEqual(await queue.drainTo(drained), 1);
        assert.deepStrictEqual(drained, ['c']);
        assert.strictEqual(await queue.isEmpty(), true);
        assert.strictEqual(await queue.poll(50), null);
        await until(() => told.length >= 10, 'events of a queue');
        assert.deepStrictEqual(told.slice(0, 2), ['+a', '+b']);
    },

    async takersInOrder(client) {
        const queue = await client.getQueue(newName());
        const takers = [];
        for (let i = 0; i < 100; i++) {
            takers.push(queue.take());
        }
        for (let i = 0; i < 100; i++) {
            await queue.put(`item ${i}`);
        }
        const taken = await Promise.all(takers);
        assert.deepStrictEqual(taken, taken.map((_, i) => `item ${i}`));
    },

    async list(client) {
        const list = await client.getList(newName());
        assert.strictEqual(await list.add('a'), true);
        assert.strictEqual(await list.addAll(['b', 'c']), true);
        await list.addAt(1, 'x');
        assert.strictEqual(await list.set(1, 'y'), 'x');
        assert.strictEqual(await list.removeAt(1), 'y');
        assert.strictEqual(await list.get(2), 'c');
        assert.strictEqual(await list.indexOf('c'), 2);
        assert.strictEqual(await list.lastIndexOf('none'), -1);
        assert.deepStrictEqual(await list.toArray(), ['a', 'b', 'c']);
        assert.deepStrictEqual((await list.subList(0, 2)).toArray(), ['a', 'b']);
        assert.strictEqual(await list.remove('a'), true);
        assert.strictEqual(await list.retainAll(['b']), true);
        assert.strictEqual(await list.size(), 1);
        await list.clear();
        assert.strictEqual(await list.isEmpty(), true);
        await assert.rejects(list.get(0));
    },

    async set(client) {
        const set = await client.getSet(newName());
        assert.strictEqual(await set.add('a'), true);
        assert.strictEqual(await set.add('a'), false);
        assert.strictEqual(await set.addAll(['a', 'b', 'c']), true);
        assert.deepStrictEqual((await set.toArray()).sort(), ['a', 'b', 'c']);
        assert.strictEqual(await set.containsAll(['a', 'b']), true);
        assert.strictEqual(await set.remove('a'), true);
        assert.strictEqual(await set.removeAll(['b']), true);
        assert.strictEqual(await set.size(), 1);
    },

    async multimap(client) {
        const multimap = await client.getMultiMap(newName());
        const told = [];
        await multimap.addEntryListener({
            added: (event) => told.push(`+${event.key}=${event.value}`),
            removed: (event) => told.push(`-${event.key}=${event.oldValue}`),
        }, undefined, true);
        assert.strictEqual(await multimap.put('k', 'a'), true);
        assert.strictEqual(await multimap.put('k', 'a'), false);
        await multimap.putAll([['k', ['b', 'c']], ['l', ['d']]]);
        assert.deepStrictEqual([...await multimap.get('k')].sort(), ['a', 'b', 'c']);
        assert.strictEqual(await multimap.valueCount('k'), 3);
        assert.strictEqual(await multimap.size(), 4);
        assert.strictEqual(await multimap.containsEntry('l', 'd'), true);
        assert.strictEqual(await multimap.containsValue('d'), true);
        assert.deepStrictEqual((await multimap.keySet()).sort(), ['k', 'l']);
        assert.strictEqual((await multimap.entrySet()).length, 4);
        assert.strictEqual(await multimap.remove('k', 'a'), true);
        assert.deepStrictEqual([...await multimap.removeAll('k')].sort(), ['b', 'c']);
        await multimap.lock('l');
        assert.strictEqual(await multimap.isLocked('l'), true);
        await multimap.unlock('l');
        assert.deepStrictEqual([...await multimap.removeAll('l')], ['d']);
        assert.strictEqual(await multimap.containsKey('l'), false);
        await until(() => told.length >= 7, 'events of a multimap');
        const ofKey = told.filter((event) => event[1] === 'k'); // events of a key are in order
        assert.strictEqual(ofKey[0], '+k=a');
    },

    async ringbuffer(client) {
        const ring = await client.getRingbuffer(newName());
        assert.strictEqual(number(await ring.add('a')), 0);
        assert.strictEqual(number(await ring.addAll(['b', 'c'])), 2);
        assert.strictEqual(number(await ring.size()), 3);
        assert.strictEqual(number(await ring.headSequence()), 0);
        assert.strictEqual(number(await ring.tailSequence()), 2);
        assert.strictEqual(await ring.readOne(1), 'b');
        const waiting = ring.readMany(2, 2, 10);
        await ring.add('d');
        const read = await waiting;
        assert.deepStrictEqual([read.get(0), read.get(1), read.getReadCount()], ['c', 'd', 2]);
    },

    async reliableTopic(client) {
        const topic = await client.getReliableTopic(newName());
        const told = [];
        topic.addMessageListener((message) => told.push(message.messageObject));
        await topic.publish('a');
        await topic.publish('b');
        await until(() => told.length === 2, 'messages');
        assert.deepStrictEqual(told, ['a', 'b']);
    },

    async replicatedMap(client) {
        const map = await client.getReplicatedMap(newName());
        const told = [];
        await map.addEntryListener({ added: (event) => told.push(event.key) });
        assert.strictEqual(await map.put('k', 'v'), null);
        assert.strictEqual(await map.put('k', 'w'), 'v');
        await map.putAll([['a', '1'], ['b', '2']]);
        assert.strictEqual(await map.get('a'), '1');
        assert.strictEqual(await map.containsValue('2'), true);
        assert.deepStrictEqual((await map.keySet()).sort(), ['a', 'b', 'k']);
        assert.strictEqual(await map.remove('a'), '1');
        assert.strictEqual(await map.size(), 2);
        await until(() => told.length === 3, 'events of a replicated map');
    },

    async numbers(client) {
        const counter = await client.getPNCounter(newName());
        assert.strictEqual(number(await counter.addAndGet(5)), 5);
        assert.strictEqual(number(await counter.getAndDecrement()), 5);
        assert.strictEqual(number(await counter.get()), 4);
        const ids = await client.getFlakeIdGenerator(newName());
        const seen = new Set();
        for (let i = 0; i < 1000; i++) {
            seen.add(String(await ids.newId()));
        }
        assert.strictEqual(seen.size, 1000);
    },
};

async function main() {
    const client = await connect();
    for (const [name, run] of Object.entries(tests)) {
        await run(client);
        console.log(`ok ${name}`);
    }
    await client.shutdown();
}

main().then(() => process.exit(0), (error) => {
    console.error(error);
    process.exit(1);
});
