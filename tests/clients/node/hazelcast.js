// SPDX-License-Identifier: Apache-2.0
// What the Node.js client does with maps: hazelcast.js ADDRESS [restart|hello]. Ends with 0 when all
// is as its documentation says. With "restart" it waits for a line of input, while the member is
// started again, and goes on; with "hello" nothing is configured.
'use strict';

const assert = require('assert');
const crypto = require('crypto');
const readline = require('readline');
const { createRequire } = require('module');

const { Aggregators, Client, HazelcastJsonValue, Predicates } =
    createRequire(process.cwd() + '/')('hazelcast-client');

const GUARD = 60000;
const [address, mode] = process.argv.slice(2);

function connect(options = {}) {
    return Client.newHazelcastClient({
        network: { clusterMembers: [address] },
        connectionStrategy: { connectionRetry: { clusterConnectTimeoutMillis: GUARD } },
        properties: { 'hazelcast.logging.level': 'OFF' },
        ...options,
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

const tests = {
    async entries(client) {
        const map = await client.getMap(newName());
        assert.strictEqual(await map.put('k', 'v'), null);
        assert.strictEqual(await map.put('k', 'w'), 'v');
        await map.set('k', 'x');
        assert.strictEqual(await map.get('k'), 'x');
        assert.strictEqual(await map.putIfAbsent('k', 'y'), 'x');
        assert.strictEqual(await map.replace('k', 'y'), 'x');
        assert.strictEqual(await map.replaceIfSame('k', 'x', 'z'), false);
        assert.strictEqual(await map.replaceIfSame('k', 'y', 'z'), true);
        assert.strictEqual(await map.containsKey('k'), true);
        assert.strictEqual(await map.containsValue('z'), true);
        assert.strictEqual(await map.tryPut('k', 'a', 0), true);
        assert.strictEqual(await map.remove('k', 'z'), false);
        assert.strictEqual(await map.remove('k', 'a'), true);
        await map.set('d', 1);
        await map.delete('d');
        await map.putTransient('t', 2);
        await map.flush();
        assert.strictEqual(await map.get('t'), 2);
        assert.strictEqual(await map.tryRemove('t', 0), true);
        assert.strictEqual(await map.isEmpty(), true);
        const value = { name: 'plain', deep: [1, { two: 2 }] };
        await map.set('json', value);
        assert.deepStrictEqual(await map.get('json'), value);
        await map.set('json', new HazelcastJsonValue('{"a":1}'));
        assert.deepStrictEqual(await map.get('json'), { a: 1 });
        const large = Buffer.alloc(10 * 1024 * 1024, 7);
        await map.set('large', large);
        assert.ok(large.equals(await map.get('large')));
        await map.destroy();
    },

    async times(client) {
        const map = await client.getMap(newName());
        await map.put('short', 1, 200);
        await map.put('long', 1, 1000000);
        await map.set('idle', 1, 0, 300);
        await map.put('resting', 1, 1000000, 300);
        await map.putIfAbsent('absent', 1, 200);
        await map.putTransient('passing', 1, 200);
        assert.strictEqual(await map.setTtl('long', 2000000), true);
        const view = await map.getEntryView('long');
        assert.ok(view.ttl.toNumber() <= 2000000);
        await until(async () => (await map.get('short')) === null, 'the end of an entry');
        // Without being looked at one by one: that would not let them rest.
        await until(async () => (await map.keySet()).length === 1, 'the end of all others');
        assert.deepStrictEqual(await map.keySet(), ['long']);
        assert.strictEqual(await map.get('idle'), null);
        assert.strictEqual(await map.evict('long'), true);
        assert.strictEqual(await map.evict('long'), false);
        await map.destroy();
    },

    async refusals(client) {
        const map = await client.getMap(newName());
        await map.put('k', 1);
        const no = 'no such processor';
        await assert.rejects(map.executeOnKey('k', no));
        await assert.rejects(map.executeOnKeys(['k'], no));
        await assert.rejects(map.executeOnEntries(no));
        await assert.rejects(map.executeOnEntries(no, Predicates.alwaysTrue()));
        assert.strictEqual(await map.get('k'), 1);
        await map.destroy();
    },

    async many(client) {
        const map = await client.getMap(newName());
        const entries = Array.from({ length: 10000 }, (_, i) => [`k${i}`, i]);
        await map.putAll(entries);
        assert.strictEqual(await map.size(), entries.length);
        const got = await map.getAll(entries.map(([key]) => key));
        assert.deepStrictEqual(new Map(got), new Map(entries));
        assert.strictEqual((await map.keySet()).length, entries.length);
        assert.strictEqual((await map.values()).toArray().length, entries.length);
        assert.deepStrictEqual(new Map(await map.entrySet()), new Map(entries));
        const some = await map.valuesWithPredicate(Predicates.lessThan('this', 3));
        assert.deepStrictEqual(some.toArray().sort(), [0, 1, 2]);
        await Promise.all(entries.map(([key]) => map.get(key)));
        const pairs = await map.entrySetWithPredicate(Predicates.lessThan('this', 2));
        assert.deepStrictEqual(new Map(pairs), new Map([['k0', 0], ['k1', 1]]));
        await map.removeAll(Predicates.greaterEqual('this', 10));
        assert.strictEqual(await map.size(), 10);
        await map.evictAll();
        assert.strictEqual(await map.size(), 0);
        await map.setAll([['a', 1], ['b', 2]]);
        assert.strictEqual(await map.size(), 2);
        await map.clear();
        assert.strictEqual(await map.size(), 0);
        await map.destroy();
    },

    async queries(client) {
        const map = await client.getMap(newName());
        await map.addIndex({ type: 'SORTED', attributes: ['age'] });
        for (let i = 0; i < 10; i++) {
            await map.set(`p${i}`, { age: i, name: `N${i % 3}`, home: { zip: `${i}` } });
        }
        const keys = async (predicate) => (await map.keySetWithPredicate(predicate)).sort();
        assert.deepStrictEqual(await keys(Predicates.equal('age', 7)), ['p7']);
        assert.deepStrictEqual(await keys(Predicates.sql("age > 8 OR home.zip = '3'")), ['p3', 'p9']);
        assert.deepStrictEqual(await keys(Predicates.regex('name', '[A-Z]2')), ['p2', 'p5', 'p8']);
        const page = Predicates.paging(Predicates.lessThan('age', 7), 4);
        assert.deepStrictEqual([...await map.keySetWithPredicate(page)], ['p0', 'p1', 'p2', 'p3']);
        page.nextPage();
        assert.deepStrictEqual([...await map.keySetWithPredicate(page)], ['p4', 'p5', 'p6']);
        assert.strictEqual(Number(await map.aggregate(Aggregators.count())), 10);
        assert.strictEqual(await map.aggregate(Aggregators.numberAvg('age')), 4.5);
        assert.strictEqual(await map.aggregateWithPredicate(Aggregators.max('name'),
            Predicates.lessThan('age', 2)), 'N1');
    },

    async locks(client) {
        const name = newName();
        const other = await connect();
        const map = await client.getMap(name);
        const theirs = await other.getMap(name);
        await map.lock('k');
        assert.strictEqual(await theirs.isLocked('k'), true);
        assert.strictEqual(await theirs.tryLock('k', 10), false);
        await assert.rejects(theirs.unlock('k'));
        const waiting = theirs.put('k', 'theirs');
        await map.put('k', 'mine');
        await map.unlock('k');
        assert.strictEqual(await waiting, 'mine');
        await map.lock('k', 100);
        assert.strictEqual(await theirs.tryLock('k', GUARD), true);
        await theirs.forceUnlock('k');
        assert.strictEqual(await map.isLocked('k'), false);
        await other.shutdown();
        await map.destroy();
    },

    async listeners(client) {
        const map = await client.getMap(newName());
        const told = [];
        const note = (kind) => (event) =>
            told.push(`${kind} ${event.key} ${event.value} ${event.oldValue}`);
        const noteAll = (kind) => (event) => told.push(`${kind} ${event.numberOfAffectedEntries}`);
        const id = await map.addEntryListener({
            added: note('added'), updated: note('updated'), removed: note('removed'),
            evicted: note('evicted'), expired: note('expired'), mapCleared: noteAll('cleared'),
            mapEvicted: noteAll('all evicted'),
        }, undefined, true);
        const byKey = [];
        await map.addEntryListener({ added: (event) => byKey.push(event.key) }, 'k');
        const chosen = [];
        await map.addEntryListenerWithPredicate({ added: (event) => chosen.push(event.key) },
            Predicates.equal('this', 'v2'));
        await map.put('k', 'v');
        await map.put('k', 'w');
        await map.remove('k');
        await map.put('e', 'v2');
        await map.evict('e');
        await map.put('c', 'v');
        await map.clear();
        await map.put('a', 'v');
        await map.evictAll();
        await map.put('x', 'v', 100);
        await until(() => told.length >= 11, 'events');
        assert.deepStrictEqual([...told].sort(), [
            'added a v null', 'added c v null', 'added e v2 null', 'added k v null',
            'added x v null', 'all evicted 1', 'cleared 1', 'evicted e null v2',
            'expired x null v', 'removed k null w', 'updated k w v',
        ]);
        await until(() => byKey.length === 1 && chosen.length === 1, 'chosen events');
        assert.deepStrictEqual([byKey, chosen], [['k'], ['e']]);
        assert.strictEqual(await map.removeEntryListener(id), true);
        await map.destroy();
    },

    async nearCache(client) {
        const name = newName();
        const near = await connect({ nearCaches: { [name]: { invalidateOnChange: true } } });
        const cached = await near.getMap(name);
        const plain = await client.getMap(name);
        await plain.set('k', 'old');
        assert.strictEqual(await cached.get('k'), 'old');
        assert.strictEqual(await cached.get('k'), 'old');
        await plain.set('k', 'new');
        await until(async () => (await cached.get('k')) === 'new', 'an invalidation');
        await plain.clear();
        await until(async () => (await cached.get('k')) === null, 'a clear');
        await near.shutdown();
        await plain.destroy();
    },

    async sessions(client) {
        await assert.rejects(connect({
            clusterName: 'other',
            connectionStrategy: { connectionRetry: { clusterConnectTimeoutMillis: 100 } },
        }));
        const clients = await Promise.all(Array.from({ length: 100 }, () => connect()));
        const name = newName();
        await Promise.all(clients.map(async (each, i) => (await each.getMap(name)).set(i, i)));
        assert.strictEqual(await (await client.getMap(name)).size(), 100);
        await Promise.all(clients.map((each) => each.shutdown()));
        const first = await connect();
        await (await first.getMap(name)).set('restarted', 'v');
        await first.shutdown();
        const second = await connect();
        assert.strictEqual(await (await second.getMap(name)).get('restarted'), 'v');
        await second.shutdown();
        const objects = await client.getDistributedObjects();
        assert.ok(objects.some((object) => object.getName() === name));
    },
};

async function restart(client) {
    const map = await client.getMap(newName());
    const told = [];
    await map.addEntryListener({ added: (event) => told.push(event.key) });
    await map.put('before', 1);
    await until(() => told.length === 1, 'an event');
    console.log('ready');
    for await (const line of readline.createInterface({ input: process.stdin })) {
        assert.strictEqual(line, 'go on');
        break;
    }
    await until(async () => {
        try {
            await map.put(`after ${Date.now()}`, 2);
            return told.length > 1;
        } catch (error) {
            return false;
        }
    }, 'a listener that goes on');
}

/** A client that is told nothing at all finds the member at its usual place. */
async function hello() {
    const client = await Client.newHazelcastClient();
    const map = await client.getMap(newName());
    await map.put('k', 'v');
    assert.strictEqual(await map.get('k'), 'v');
    await map.destroy();
    await client.shutdown();
}

async function main() {
    if (mode === 'hello') {
        await hello();
        return;
    }
    const client = await connect();
    for (const [name, run] of Object.entries(mode === 'restart' ? { restart } : tests)) {
        await run(client);
        console.log(`ok ${name}`);
    }
    await client.shutdown();
}

main().then(() => process.exit(0), (error) => {
    console.error(error);
    process.exit(1);
});
