// What limiting adds to an allowed request of Nest, in microseconds of the processor, without a network: Node's own requests
// and responses without a connection. All contenders are applications of one process, and answer 50 requests in turn, so
// that whatever disturbs the process disturbs all alike. The same application twice shows what that resolves.
//
//   npx tsc -b && node --single-threaded-gc --max-semi-space-size=2 packages/bench/measure/nest-requests.mjs
import http, { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { HOSTS } from '../dist/contenders/http/index.js';
import { spreadOf } from '../dist/spread.js';

const [SECONDS, PER_TURN, CLIENTS] = [16, 50, 2000];
const CONTENDERS = ['bare route', 'bare route', 'bare Map counter', 'Sluice', 'Sluice', 'peer'];
const quota = { limit: 1_000_000_000, windowMs: 3_600_000 };

/** The server that an application made last. */
let server;
const { createServer } = http;
http.createServer = (...args) => {
  server = createServer(...args);
  return server;
};
syncBuiltinESMExports();

/** Never connected: a response is rendered, but not written. */
const connection = new Socket();

async function answer({ listener }, client) {
  const request = new IncomingMessage(connection);
  const rawHeaders = ['host', 'bench', 'x-client', client];
  Object.assign(request, { method: 'GET', url: '/', rawHeaders, httpVersionMajor: 1, httpVersionMinor: 1 });
  Object.assign(request.headers, { host: 'bench', 'x-client': client });
  const response = new ServerResponse(request);
  listener(request, response);
  // Most is answered in the same turn of the event loop.
  for (let i = 0; !response.writableEnded; i += 1) await (i < 100 ? undefined : turnOfTheLoop());
  if (response.statusCode !== 200) throw new Error(`The request got ${response.statusCode}`);
}

async function turn(app) {
  const before = process.cpuUsage();
  for (let i = 0; i < PER_TURN; i += 1) {
    app.next = (app.next + 1) % CLIENTS;
    await answer(app, `client-${app.next}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / PER_TURN;
}

async function measure(host) {
  const apps = [];
  for (const variant of CONTENDERS) {
    const { serve, peer } = HOSTS.get(host);
    const { close } = await (await serve())(variant, quota, 'header');
    const [listener] = server.listeners('request');
    const name = variant === 'peer' ? peer : variant;
    const title = apps.some((app) => app.name === name) ? `${name}, once more` : name;
    apps.push({ name, title, close, listener, next: 0, us: [] });
  }
  const startMs = performance.now();
  for (let round = 0; performance.now() - startMs < SECONDS * 1000; round += 1) {
    const first = Math.floor(Math.random() * apps.length);
    for (let i = 0; i < apps.length; i += 1) {
      const app = apps[(first + i) % apps.length];
      app.us[round] = await turn(app);
    }
  }
  const [bare] = apps;
  console.log(`${host}: µs of the processor, more than the bare route (95 % of true medians are in the brackets)`);
  for (const { title, us } of apps) {
    // The first half of the rounds is to have everything compiled.
    const rounds = us.map((cost, round) => [cost, cost - bare.us[round]]).slice(us.length >> 1);
    const { median } = spreadOf(rounds.map(([cost]) => cost));
    const more = spreadOf(rounds.map(([, difference]) => difference));
    const [middle, least, most] = [more.median, more.least, more.most].map((figure) => figure.toFixed(1));
    console.log(`${title.padEnd(22)} ${median.toFixed(1).padStart(6)}  ${middle} (${least} to ${most})`);
  }
  for (const { close } of apps) await close();
}

for (const host of ['Nest on Express', 'Nest on Fastify']) await measure(host);
process.exit();
