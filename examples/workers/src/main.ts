import { setTimeout as sleep } from 'node:timers/promises';
import type { Message } from './messages.js';
import { Processes } from './processes.js';
import { settingsFrom } from './settings.js';
import { untilStopped } from './until-stopped.js';
import { type Arrival, mostWithin } from './upstream.js';

const { port } = settingsFrom(process.env);
const WEB = placeAt(port);
const UPSTREAM = placeAt(port + 1);
const WORKERS = 3;
const MESSAGES = 400;

function placeAt(port: number) {
  return { url: `http://127.0.0.1:${port}`, port: String(port) };
}

/** Runs the whole example over a Redis: an upstream, a web process, three workers, and a client that sends messages. */
export async function runExample(redisUrl: string): Promise<void> {
  const processes = new Processes();
  const stopped = untilStopped();
  const env = { REDIS_URL: redisUrl, UPSTREAM_URL: UPSTREAM.url };
  processes.start('upstream', { ...env, PORT: UPSTREAM.port });
  processes.start('web', { ...env, PORT: WEB.port });
  for (let i = 0; i < WORKERS; i += 1) processes.start('worker', env);
  const watching = new AbortController();
  const failed = processes.ended.then((name) => {
    console.error(`The ${name} process has ended by itself.`);
    process.exitCode = 1;
  });
  await Promise.race([stopped, failed, sendAndWatch(watching.signal)]);
  watching.abort();
  console.log('Stopping when all requests are answered.');
  await processes.stop();
}

async function sendAndWatch(signal: AbortSignal): Promise<void> {
  await listening(UPSTREAM.url, signal);
  await listening(`${WEB.url}/messages/none`, signal);
  const { limit, windowMs } = settingsFrom(process.env).quota;
  console.log(
    `Sending ${MESSAGES} messages. The upstream allows ${limit} in ${windowMs} ms, and sometimes asks for a pause of 5 s.`,
  );
  for (let i = 1; i <= MESSAGES; i += 1) await post({ to: 'ann', text: `message ${i}` });
  console.log('All of them are accepted. Ctrl+C ends the example.');
  let seen = (await recordOf()).length;
  for (;;) {
    await sleep(1000, undefined, { signal });
    const record = await recordOf();
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

async function recordOf(): Promise<readonly Arrival[]> {
  return (await (await fetch(UPSTREAM.url)).json()) as Arrival[];
}

async function post(message: Message): Promise<void> {
  const response = await fetch(`${WEB.url}/messages`, { method: 'POST', body: JSON.stringify(message) });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`The web process answered ${response.status}`);
}

/** Resolves when something answers there. */
async function listening(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await sleep(50, undefined, { signal });
    }
  }
}
