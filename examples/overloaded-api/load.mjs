// Sends more than the shop can handle, for a while: node examples/overloaded-api/load.mjs [http://localhost:3000] [900]
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const [url = 'http://localhost:3000', perSecond = '900'] = process.argv.slice(2);
const SECONDS = 10;
/** A client waits no longer. */
const PATIENCE_MS = 500;

/** What each class asks for, and its part of the traffic. */
const CLASSES = [
  { name: 'critical: orders', share: 0.2, ask: { method: 'POST', path: '/checkout' } },
  { name: 'normal: pages', share: 0.5, ask: { path: '/products/7' } },
  { name: 'low: prefetched pages', share: 0.3, ask: { path: '/products/7', headers: { 'sec-purpose': 'prefetch' } } },
];

/** As many connections as proxies keep open. */
const CONNECTIONS = 500;
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, maxFreeSockets: CONNECTIONS });
const { hostname, port } = new URL(url);
const results = new Map(
  CLASSES.map(({ name }) => [name, { sent: 0, inTime: 0, late: 0, shed: 0, limited: 0, failed: 0, small: 0, ms: [] }]),
);
let customer = 0;

/** Resolves with the status and the text of an answer. */
function send({ headers, ...ask }) {
  customer = (customer + 1) % 100;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: hostname.replace('localhost', '127.0.0.1'),
        port,
        ...ask,
        headers: { ...headers, 'x-customer': `customer-${customer}` },
      },
      async (response) => {
        let text = '';
        for await (const part of response) text += part;
        resolve({ status: response.statusCode, text });
      },
    );
    sent.on('error', reject);
    sent.setTimeout(20 * PATIENCE_MS, () => sent.destroy(new Error('no answer')));
    sent.end();
  });
}

/** Opens all connections before the load, because a busy server is slow to accept them. */
async function connect() {
  await Promise.all(Array.from({ length: CONNECTIONS }, () => send({ path: '/livez' })));
}

async function count({ name, ask }) {
  const result = results.get(name);
  result.sent += 1;
  const startMs = performance.now();
  try {
    const { status, text } = await send(ask);
    const ms = performance.now() - startMs;
    if (status === 503) result.shed += 1;
    else if (status === 429) result.limited += 1;
    else if (ms > PATIENCE_MS) result.late += 1;
    else {
      result.inTime += 1;
      if (text.includes('"related":[]')) result.small += 1;
    }
    if (status === 200) result.ms.push(ms);
  } catch {
    result.failed += 1;
  }
}

/** Returns a class by chance, as often as its share says. */
function oneOf([first, ...others], random = Math.random()) {
  return random < first.share || others.length === 0 ? first : oneOf(others, random - first.share);
}

/** Requests come when they come: nobody waits for the answer of another. */
async function sendAll() {
  const running = [];
  const startMs = performance.now();
  for (let due = 0; due < SECONDS * 1000; due += -Math.log(1 - Math.random()) * (1000 / Number(perSecond))) {
    const earlyMs = startMs + due - performance.now();
    if (earlyMs > 1) await pause(earlyMs);
    running.push(count(oneOf(CLASSES)));
  }
  await Promise.all(running);
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];

console.log(`${perSecond} requests a second for ${SECONDS} s, from 100 customers who wait for half a second.`);
try {
  await connect();
} catch (error) {
  console.error(
    `No answer from ${url} (${error.code ?? error.message}): start the shop first, by npm run start:overload`,
  );
  process.exit(1);
}
await sendAll();
console.table(
  Object.fromEntries(
    [...results].map(([name, { ms, inTime, sent, ...others }]) => {
      const sorted = ms.sort((a, b) => a - b);
      const answered = { sent, 'in time %': Math.round((100 * inTime) / sent), ...others };
      return [
        name,
        { ...answered, 'median ms': Math.round(quantile(sorted, 0.5)), 'p99 ms': Math.round(quantile(sorted, 0.99)) },
      ];
    }),
  ),
);
agent.destroy();
