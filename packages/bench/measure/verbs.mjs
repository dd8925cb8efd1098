// What the verbs of a limiter over memory cost, in nanoseconds of the processor: the least of many rounds.
//
//   npx tsc -b && node packages/bench/measure/verbs.mjs [checkout]
//
// With another checkout, which has to be built, its core takes turns with this one. Each verb and each core has a process of its own.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [ROUNDS, CALLS, KEYS, PROCESSES] = [10, 50_000, 1000, 3];
const here = resolve(import.meta.dirname, '../../..');
const QUOTA = { limit: 1e9, window: '1h' };

/** Makes a limiter of the options, and returns what is measured with a key. */
const VERBS = {
  consume: ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.consume(key);
  },
  'consume two limits': ({ createLimiter, store }) => {
    const limits = [
      { name: 'hour', ...QUOTA },
      { name: 'minute', limit: 1e9, window: '1m' },
    ];
    const limiter = createLimiter({ limits, store });
    return (key) => limiter.consume(key);
  },
  'consume with a cost': ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.consume(key, { cost: 2 });
  },
  'consume with an id': ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    let calls = 0;
    return (key) => {
      calls += 1;
      limiter.consume(key, { id: `call ${calls}`, rememberFor: '1s' });
    };
  },
  peek: ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.peek(key);
  },
  'reserve and settle as reserved': ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.reserve(key).settle();
  },
  'reserve and settle less': ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.reserve(key, { cost: 3 }).settle(1);
  },
  'reserve and cancel': ({ createLimiter, store }) => {
    const limiter = createLimiter({ ...QUOTA, store });
    return (key) => limiter.reserve(key).cancel();
  },
  'take and free a slot': ({ createLimiter, concurrency, store }) => {
    const limiter = createLimiter({ limit: concurrency({ limit: 10, lease: '1m' }), store });
    return (key) => limiter.reserve(key).settle();
  },
};

/** Prints the nanoseconds of a verb of one core. */
async function measure(verb, checkout) {
  const core = await import(pathToFileURL(resolve(checkout, 'packages/core/dist/esm/entries/index.js')).href);
  const store = new core.MemoryStore();
  const call = VERBS[verb]({ ...core, store });
  const keys = Array.from({ length: KEYS }, (_, i) => `key ${i}`);
  let leastNs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    for (let i = 0; i < CALLS; i += 1) call(keys[i % KEYS]);
    const { user, system } = process.cpuUsage(before);
    leastNs = Math.min(leastNs, (1000 * (user + system)) / CALLS);
    await new Promise((done) => setImmediate(done));
  }
  store.close();
  console.log(Math.round(leastNs));
}

const nanosecondsOf = (verb, checkout) =>
  Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'measure', verb, checkout]));

const [first, verb, checkout] = process.argv.slice(2);
if (first === 'measure') await measure(verb, checkout);
else {
  const checkouts = first === undefined ? [here] : [resolve(first), here];
  console.log(['', ...(first === undefined ? [] : ['other checkout']), 'ns'].join(' | '));
  for (const name of Object.keys(VERBS)) {
    const least = checkouts.map(() => Number.POSITIVE_INFINITY);
    for (let i = 0; i < PROCESSES; i += 1) {
      checkouts.forEach((one, at) => {
        least[at] = Math.min(least[at], nanosecondsOf(name, one));
      });
    }
    console.log([name, ...least].join(' | '));
  }
}
