// Proves the store of Durable Objects in workerd: its suites, races, objects that hang, restarts, and what one object decides in a second.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { bundle } from './bundle.mjs';
import { inWorkerd } from './runtimes.mjs';

const RACERS = 400;

/** That of the Worker that is asked. */
const TIMEOUT_MS = 250;

/** What a busy machine may add to a deadline. */
const LATENESS_MS = 250;

/** A call tries an object that has failed after a quarter of a second. */
const TRIED_AFTER_MS = 300;

/** After this, nothing is kept any more of a window of a second: an object keeps everything for ten seconds at least. */
const FORGOTTEN_AFTER_MS = 11_000;

/** An alarm has rung by then. */
const RUNG_AFTER_MS = 1500;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const OBJECTS = (className) => ({ durableObjects: { LIMITS: { className, useSQLite: true } } });

/** Returns a function that asks a Worker a question, and resolves with the answer in JSON. */
const asking =
  (fetch) =>
  async (path, parameters = {}) => {
    const response = await fetch(`http://worker.example${path}?${new URLSearchParams(parameters)}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  };

/** Returns how many of the requests that race are admitted, under each algorithm. */
async function racesOf(ask) {
  const admitted = {};
  for (const name of await ask('/races')) {
    const asked = Array.from({ length: RACERS }, (_, i) => ask('/race', { name, id: `request ${i}` }));
    admitted[name] = (await Promise.all(asked)).filter(({ allowed }) => allowed).length;
  }
  return admitted;
}

/** Has an object hang. Each question is a request of its own, whose timers end with it. Returns what was wrong. */
async function hangingOf(ask) {
  const wrong = [];
  const object = (path) => ask('/object', { name: 'api\nann', path });
  const expectSource = async (expected, mostMs) => {
    const beganMs = performance.now();
    const { source } = await ask('/limited', { key: 'ann' });
    const tookMs = Math.round(performance.now() - beganMs);
    if (source !== expected || tookMs > mostMs) wrong.push(`${source} after ${tookMs} ms, not ${expected}`);
  };
  await expectSource('store', TIMEOUT_MS + LATENESS_MS);
  await object('hang');
  for (let i = 0; i < 5; i += 1) await expectSource('allow', TIMEOUT_MS + LATENESS_MS);
  // It is not asked now.
  for (let i = 0; i < 3; i += 1) await expectSource('allow', TIMEOUT_MS - 1);
  if ((await ask('/limited', { key: 'bob' })).source !== 'store') wrong.push('another object is not asked either');
  await sleep(TRIED_AFTER_MS);
  await expectSource('allow', TIMEOUT_MS + LATENESS_MS);
  await object('go-on');
  await sleep(TRIED_AFTER_MS);
  await expectSource('store', TIMEOUT_MS + LATENESS_MS);
  await expectSource('store', TIMEOUT_MS + LATENESS_MS);
  return wrong;
}

/** Ends an object while decisions are under way. Returns what was wrong. */
async function abortOf(ask) {
  const consume = () => ask('/lasting', { key: 'dora' });
  const first = await consume();
  const underWay = Array.from({ length: 20 }, consume);
  const aborted = await ask('/abort', { name: 'lasting\ndora' });
  const admitted = (await Promise.all(underWay)).filter(({ allowed, source }) => allowed && source === 'store').length;
  // Several of the calls may have failed, so that it is not asked for a moment.
  await sleep(TRIED_AFTER_MS);
  const next = await consume();
  const wrong = [];
  if (aborted !== 'aborted') wrong.push('the object was not ended');
  if (admitted > 2) wrong.push(`${1 + admitted} of 3 requests admitted by the store`);
  if (first.tightest.used !== 1 || next.source !== 'store' || next.tightest.used < 1 + admitted)
    wrong.push(JSON.stringify({ first, admitted, next }));
  return wrong;
}

/** Returns what is billed of the storage for the first decision about a key, the next one, a refusal, and for forgetting it. */
async function rowsOf(ask) {
  const rows = () => ask('/object', { name: 'api\ncarol', path: 'rows' });
  const billed = [];
  let before = { read: 0, written: 0 };
  const note = async (what) => {
    const { read, written } = await rows();
    billed.push(`${what}: ${read - before.read} read, ${written - before.written} written`);
    before = { read, written };
  };
  for (const what of ['a new key', 'a known key', 'a known key', 'a refusal']) {
    await ask('/limited', { key: 'carol' });
    await note(what);
  }
  await sleep(FORGOTTEN_AFTER_MS);
  // It may have been evicted meanwhile, and counts from nothing then.
  const { kept: keptBefore, ...counted } = await rows();
  before = counted;
  await ask('/object', { name: 'api\ncarol', path: 'ring' });
  await sleep(RUNG_AFTER_MS);
  const { kept: keptAfter } = await rows();
  await note('its alarm');
  return { billed, isForgotten: keptBefore === 1 && keptAfter === null };
}

/** Returns how often each of these is done in a second. */
async function ratesOf(ask) {
  const rates = {};
  for (const path of ['/messages', '/decisions-in-turn', '/decisions-of-one-key', '/decisions-of-many-keys']) {
    const beganMs = performance.now();
    rates[path] = Math.round((await ask(path)) / ((performance.now() - beganMs) / 1000));
  }
  return rates;
}

/** Runs the first example of the package's README. Returns how many requests were answered with each status. */
async function exampleOf(folder, flags) {
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, contents] = /^```typescript\n([\s\S]*?)^```/m.exec(page);
  const { code, ofNode } = await bundle(undefined, {
    stdin: { contents, loader: 'ts', resolveDir: folder },
    external: ['node:*', 'cloudflare:*'],
  });
  const statuses = {};
  await inWorkerd(
    code,
    flags,
    async (fetch) => {
      for (let i = 0; i <= 100; i += 1) {
        const { status } = await fetch('http://worker.example/', { headers: { 'cf-connecting-ip': '203.0.113.7' } });
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    },
    OBJECTS('LimitsObject'),
  );
  return { statuses, ofNode: ofNode.filter((path) => path.startsWith('node:')) };
}

/**
 * Proves everything, and reports it.
 *
 * @param report - prints a line, and what has failed
 * @param folder - for what the objects keep
 */
export async function proveObjects(report, reportSuites, folder) {
  const { code } = await bundle('objects-worker.mjs', { external: ['node:*', 'cloudflare:*'] });
  const options = { ...OBJECTS('TestedObject'), durableObjectsPersist: folder };
  const run = (work) => inWorkerd(code, ['nodejs_compat'], (fetch) => work(asking(fetch)), options);

  await inWorkerd(
    code,
    [],
    async (fetch) => reportSuites('Durable Objects without nodejs_compat', await asking(fetch)('/suites')),
    OBJECTS('TestedObject'),
  );
  await run(async (ask) => {
    reportSuites('Durable Objects', await ask('/suites'));
    const races = await racesOf(ask);
    const isExact = Object.values(races).every((admitted) => admitted === 100);
    report(
      `Durable Objects: ${RACERS} requests race under each of ${Object.keys(races).length} limits of 100`,
      isExact ? 'exactly 100 admitted' : 'not 100 admitted',
      isExact ? [] : [JSON.stringify(races)],
    );
    const wrong = await hangingOf(ask);
    report(
      'Durable Objects: an object that hangs',
      'each request answered at its deadline, and the object tried again',
      wrong,
    );
    const wrongAfterAbort = await abortOf(ask);
    report(
      'Durable Objects: an object that is ended while it decides',
      'it comes back with what was counted, and admits no more',
      wrongAfterAbort,
    );
    const { billed, isForgotten } = await rowsOf(ask);
    report(
      'Durable Objects: rows',
      billed.join('; '),
      isForgotten ? [] : ['an alarm does not forget what has expired'],
    );
    const rates = await ratesOf(ask);
    report(
      'Durable Objects: one object in a second',
      `${rates['/decisions-of-one-key']} decisions about one key, ${rates['/decisions-of-many-keys']} about 1,000 keys, ${rates['/decisions-in-turn']} one after another; ${rates['/messages']} messages that it answers without counting`,
      [],
    );
    for (let i = 0; i < 3; i += 1) await ask('/lasting', { key: 'ann' });
  });
  await run(async (ask) => {
    const { allowed, source } = await ask('/lasting', { key: 'ann' });
    const isKept = !allowed && source === 'store';
    report(
      'Durable Objects: a restart',
      isKept ? 'what was counted is there' : 'what was counted is lost',
      isKept ? [] : [`${allowed} by ${source}`],
    );
  });

  for (const flags of [[], ['nodejs_compat']]) {
    const { statuses, ofNode } = await exampleOf(
      fileURLToPath(new URL('../../packages/cloudflare/', import.meta.url)),
      flags,
    );
    const isAsExpected = isDeepStrictEqual(statuses, { 200: 100, 429: 1 }) && ofNode.length === 0;
    report(
      `the example of Durable Objects with${flags.length > 0 ? '' : 'out'} nodejs_compat`,
      `${statuses[200]} of 101 requests admitted`,
      isAsExpected ? [] : [JSON.stringify({ statuses, ofNode })],
    );
  }
}
