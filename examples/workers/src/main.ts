import { setTimeout as sleep } from 'node:timers/promises';
import { portOf } from '@sluice/example-shared';
import type { Message } from './messages.js';
import { Processes } from './processes.js';
import { settingsFrom } from './settings.js';
import { untilStopped } from './until-stopped.js';
import { type Arrival, mostWithin } from './upstream.js';

const WORKERS = 3;
const MESSAGES = 400;

interface Place {
  readonly url: string;
  readonly port: string;
}

const placeAt = (port: number): Place => ({ url: `http://127.0.0.1:${port}`, port: String(port) });

/** Runs the whole example over a Redis: an upstream, a web process, three workers, and a client that sends messages. */
export async function runExample(redisUrl: string): Promise<void> {
  const { port } = settingsFrom(process.env);
  const web = placeAt(port);
  const upstream = placeAt(portOf('PORT + 1', String(port + 1)));
  const processes = new Processes();
  const stopped = untilStopped();
  const env = { REDIS_URL: redisUrl, UPSTREAM_URL: upstream.url };
  const servers = Promise.all([
    processes.start('upstream', { ...env, PORT: upstream.port }),
    processes.start('web', { ...env, PORT: web.port }),
  ]);
  for (let i = 0; i < WORKERS; i += 1) processes.start('worker', env);
  const watching = new AbortController();
  const failed = processes.ended.then((name) => {
    console.error(`The ${name} process has ended by itself.`);
    process.exitCode = 1;
  });
  const watched = servers.then(() => sendAndWatch(web, upstream, watching.signal));
  try {
    await Promise.race([stopped, failed, watched]);
  } finally {
    watching.abort();
    console.log('Stopping when all requests are answered.');
    await processes.stop();
  }
}

async function sendAndWatch(web: Place, upstream: Place, signal: AbortSignal): Promise<void> {
  const { limit, windowMs } = settingsFrom(process.env).quota;
  console.log(
    `Sending ${MESSAGES} messages. The upstream allows ${limit} in ${windowMs} ms, and sometimes asks for a pause of 5 s.`,
  );
  for (let i = 1; i <= MESSAGES; i += 1) await post(web, { to: 'ann', text: `message ${i}` }, signal);
  console.log('All of them are accepted. Ctrl+C ends the example.');
  let seen = (await recordOf(upstream, signal)).length;
  for (;;) {
    await sleep(1000, undefined, { signal });
    const record = await recordOf(upstream, signal);
    const recent = record.slice(seen);
    seen = record.length;
    const delivered = deliveredIn(record);
    const pause = deliveredIn(recent) < recent.length ? ', one answered with 429' : '';
    console.log(`${recent.length} in the last second${pause}; ${delivered} delivered`);
    if (delivered < MESSAGES) continue;
    console.log(`The upstream got at most ${mostWithin(record, windowMs)} requests in any ${windowMs} ms.`);
    return;
  }
}

const deliveredIn = (record: readonly Arrival[]): number => record.filter(({ status }) => status === 200).length;

async function recordOf(upstream: Place, signal: AbortSignal): Promise<readonly Arrival[]> {
  return (await (await fetch(upstream.url, { signal })).json()) as Arrival[];
}

async function post(web: Place, message: Message, signal: AbortSignal): Promise<void> {
  const response = await fetch(`${web.url}/messages`, { method: 'POST', body: JSON.stringify(message), signal });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`The web process answered ${response.status}`);
}
