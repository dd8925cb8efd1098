// Loads the example with several clients at once and holds what it admitted against what its limits promise.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DOWNLOADS, EVERYWHERE, EXPORT_MS, FAILURES, PLANS, REPORTS } from '@sluice/example-shared';
import { boundOf } from '@sluice/express';
import autocannon from 'autocannon';

const SECONDS = 10;

/** The least of what the limits allow, each by itself, in so many milliseconds. */
const leastOf = (limits) => (ms) => Math.min(...Object.values(limits).map((limit) => boundOf(limit, ms)));

/** A slot is held for as long as an export takes, so that many exports can follow each other in it. */
const downloadsIn = (ms) => boundOf(DOWNLOADS, ms) * Math.ceil(ms / EXPORT_MS);

const guess = (username) => ({
  path: '/login',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username, password: 'guess' }),
});
const quotes = (apiKey) => ({ path: '/v1/quotes', headers: { 'x-api-key': apiKey } });

/** Who asks for what, from which addresses, and at most how often that may succeed in `ms` milliseconds. */
const CLIENTS = [
  {
    who: 'address 1',
    from: ['203.0.113.1'],
    ask: { path: '/' },
    limit: '300 a minute',
    bound: leastOf({ EVERYWHERE }),
  },
  {
    who: 'address 2',
    from: ['203.0.113.2'],
    ask: { path: '/' },
    limit: '300 a minute',
    bound: leastOf({ EVERYWHERE }),
  },
  {
    who: 'IPv6 /56, 4 addresses',
    from: [1, 2, 3, 4].map((host) => `2001:db8:0:100::${host}`),
    ask: { path: '/' },
    limit: '300 a minute',
    bound: leastOf({ EVERYWHERE }),
  },
  {
    who: 'free key, 2 addresses',
    from: ['203.0.113.11', '203.0.113.12'],
    ask: quotes('demo-free-key'),
    limit: 'burst, minute, day',
    bound: leastOf(PLANS.free),
  },
  {
    who: 'pro key',
    from: ['203.0.113.13'],
    ask: quotes('demo-pro-key'),
    limit: 'burst, minute, day',
    bound: leastOf(PLANS.pro),
  },
  { who: 'guesses ann', from: ['203.0.113.21'], ask: guess('ann'), limit: '5 failures', bound: leastOf({ FAILURES }) },
  { who: 'guesses bob', from: ['203.0.113.21'], ask: guess('bob'), limit: '5 failures', bound: leastOf({ FAILURES }) },
  {
    who: 'everyone, 2 addresses',
    from: ['203.0.113.31', '203.0.113.32'],
    ask: { path: '/report' },
    limit: '2 a second, queue',
    bound: leastOf({ REPORTS }),
  },
  { who: 'address 3', from: ['203.0.113.41'], ask: { path: '/export' }, limit: '2 at once', bound: downloadsIn },
  { who: 'address 1', from: ['203.0.113.1'], ask: { path: '/health' }, limit: 'none', bound: () => Infinity },
];

/** Starts the example as its own process; gives its address and the way to end it. */
async function start() {
  const child = spawn(process.execPath, [fileURLToPath(new URL('dist/main.js', import.meta.url))], {
    env: { ...process.env, PORT: '0', TRUST_PROXY: 'loopback' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const [line] = await once(lines, 'line');
  const url = /http:\S+/.exec(line)[0].replace('localhost', '127.0.0.1');
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await exited;
    return code;
  };
  return { url, stop };
}

async function load(url, { who, from, ask, limit, bound }) {
  const startMs = performance.now();
  const { requests, statusCodeStats, errors } = await autocannon({
    url,
    connections: 4 * from.length,
    duration: SECONDS,
    requests: from.map((address) => ({ ...ask, headers: { ...ask.headers, 'x-forwarded-for': address } })),
  });
  const ms = Math.ceil(performance.now() - startMs);
  const counts = Object.entries(statusCodeStats).map(([status, { count }]) => ({ status, count }));
  const sum = (some) => some.reduce((total, { count }) => total + count, 0);
  const refused = sum(counts.filter(({ status }) => status === '429'));
  const admitted = sum(counts) - refused;
  const most = bound(ms);
  const holds = admitted <= most && errors === 0 && (most < Infinity || refused === 0);
  return {
    identity: who,
    route: `${ask.method ?? 'GET'} ${ask.path}`,
    limit,
    sent: requests.sent,
    admitted,
    refused,
    bound: most,
    seconds: (ms / 1000).toFixed(2),
    holds,
  };
}

const { url, stop } = await start();
const rows = await Promise.all(CLIENTS.map((client) => load(url, client)));
const code = await stop();

console.table(rows);
console.log(`${rows.reduce((total, { sent }) => total + sent, 0)} requests; the example exited with ${code}.`);
process.exitCode = code === 0 && rows.every(({ holds }) => holds) ? 0 : 1;
