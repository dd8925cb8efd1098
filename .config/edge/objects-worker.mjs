// A Worker whose limits are counted in Durable Objects, which a proof can have hang and forget.
import { env } from 'cloudflare:workers';
import { DurableObjectStore, LimitsObject } from '@sluice/cloudflare';
import { storeSuite } from '@sluice/conformance';
import { createLimiter, fixedWindow } from '@sluice/core';
import { RACE_LIMITS } from '@sluice/test-kit/race/limits';
import { OBJECT_OF_EACH_KEY, ONE_OBJECT } from '../../packages/cloudflare/test/claims.ts';
import { runTests } from './run-tests.mjs';

/** Longer than anybody waits. */
const HANGING_MS = 60_000;

/** How long decisions are made to count them. */
const MEASURED_MS = 3000;

/** How many decisions are under way at the same time, where they are not made in turn. */
const AT_ONCE = 64;

/** The object, with what a proof asks beside. */
export class TestedObject extends LimitsObject {
  #state;
  #storage;
  #isHanging = false;
  #rows = { read: 0, written: 0 };

  constructor(state) {
    const rows = { read: 0, written: 0 };
    super({ storage: countingRows(state.storage, rows) });
    this.#state = state;
    this.#storage = state.storage;
    this.#rows = rows;
  }

  async fetch(request) {
    switch (new URL(request.url).pathname) {
      case '/hang':
        this.#isHanging = true;
        return new Response();
      case '/go-on':
        this.#isHanging = false;
        return new Response();
      case '/abort':
        // Ends the object in the middle of what it does, as a fault of its machine would.
        this.#state.abort('for a test');
        return new Response();
      case '/ring':
        await this.#storage.setAlarm(Date.now());
        return new Response();
      case '/nothing':
        return new Response('{}');
      case '/rows':
        return Response.json({ ...this.#rows, kept: countOfRows(this.#storage) });
      default:
        if (this.#isHanging) await new Promise((resolve) => setTimeout(resolve, HANGING_MS));
        return super.fetch(request);
    }
  }
}

/** Returns a storage that adds up the rows that Cloudflare would bill. */
function countingRows(storage, rows) {
  return {
    sql: {
      exec(query, ...values) {
        const cursor = storage.sql.exec(query, ...values);
        const all = cursor.toArray();
        rows.read += cursor.rowsRead;
        rows.written += cursor.rowsWritten;
        return { toArray: () => all };
      },
    },
    transactionSync: (body) => storage.transactionSync(body),
    sync: () => storage.sync(),
    getAlarm: () => storage.getAlarm(),
    setAlarm(atMs) {
      // Each is billed as a row.
      rows.written += 1;
      return storage.setAlarm(atMs);
    },
    deleteAlarm: () => storage.deleteAlarm(),
    deleteAll: () => storage.deleteAll(),
  };
}

/** Returns how many rows there are; null without a table. */
function countOfRows({ sql }) {
  if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'limits'").toArray().length === 0) return null;
  return sql.exec('SELECT count(*) AS count FROM limits').one().count;
}

const store = new DurableObjectStore({ namespace: env.LIMITS, timeout: '250ms' });
const limited = createLimiter({
  name: 'api',
  limit: fixedWindow({ limit: 3, window: '1s' }),
  store,
  onStoreError: 'allow',
});
const lasting = createLimiter({ name: 'lasting', limit: 3, window: '1h', store });
const racing = new DurableObjectStore({ namespace: env.LIMITS, partition: 'race', timeout: '20s' });
const measured = new DurableObjectStore({ namespace: env.LIMITS, partition: 'measured', timeout: '20s' });

/** How many tests have had objects: each has its own. */
let tests = 0;

/** Returns a namespace whose objects nobody else has. */
function ownNamespace() {
  tests += 1;
  const test = `test ${tests}`;
  return { idFromName: (name) => env.LIMITS.idFromName(`${test} ${name}`), get: (id) => env.LIMITS.get(id) };
}

function suites() {
  return runTests((runner) => {
    for (const [name, partition, claims] of [
      ['one object', 'all', ONE_OBJECT],
      ['an object for each key', undefined, OBJECT_OF_EACH_KEY],
    ]) {
      let namespace;
      const make = (clock) =>
        new DurableObjectStore({ namespace, clock, timeout: '10s', ...(partition && { partition }) });
      storeSuite(
        name,
        (clock) => {
          namespace = ownNamespace();
          return make(clock);
        },
        claims,
        { ...runner, beside: make },
      );
    }
  });
}

async function race(name, id) {
  const limit = RACE_LIMITS[name];
  const check = { policy: 'race', name, key: 'ann', limit, cost: 1 };
  const { allowed } = await racing.consume({ checks: [check], ...(limit.algorithm === 'concurrency' && { id }) });
  return { allowed };
}

/** Calls a function again and again for a while. Returns how often. */
async function countOf(call, atOnce = AT_ONCE) {
  // In a Worker, time stands still while it computes.
  const endMs = Date.now() + MEASURED_MS;
  let count = 0;
  const loop = async () => {
    while (Date.now() < endMs) {
      await call(count);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  return count;
}

const LARGE = fixedWindow({ limit: 1_000_000, window: '1h' });

const decide = (key) =>
  measured.consume({ checks: [{ policy: 'measured', name: 'limit', key, limit: LARGE, cost: 1 }] });

const objectOf = (name) => env.LIMITS.get(env.LIMITS.idFromName(name));

const QUESTIONS = {
  '/races': () => Object.keys(RACE_LIMITS),
  '/suites': suites,
  '/race': ({ name, id }) => race(name, id),
  '/limited': async ({ key }) => limited.consume(key),
  '/lasting': async ({ key }) => lasting.consume(key),
  '/decisions-of-one-key': () => countOf(() => decide('ann')),
  '/decisions-in-turn': () => countOf(() => decide('ann'), 1),
  '/decisions-of-many-keys': () => countOf((i) => decide(`key ${i % 1000}`)),
  '/messages': () => countOf(async () => (await objectOf('measured').fetch('https://object.example/nothing')).text()),
  '/object': async ({ name, path }) => {
    const text = await (await objectOf(name).fetch(`https://object.example/${path}`)).text();
    return text === '' ? null : JSON.parse(text);
  },
  '/abort': ({ name }) =>
    objectOf(name)
      .fetch('https://object.example/abort')
      .then(
        () => 'answered',
        () => 'aborted',
      ),
};

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    return Response.json(await QUESTIONS[pathname](Object.fromEntries(searchParams)));
  },
};
