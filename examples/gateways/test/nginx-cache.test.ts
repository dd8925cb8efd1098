import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import type { Client } from './client.js';
import type { Relay } from './relay.js';
import { IS_FULL, Setup } from './setup.js';

const H2LOAD = debianProgram('h2load');

const policies = (window: string): string => `
version: 1
keys: { customer: { header: x-api-key } }
policies:
  api: { key: customer, limits: [{ name: only, algorithm: sliding-window-log, limit: 1, window: ${window} }] }
`;

/** A refusal is remembered in the first of these seconds, and no longer. */
const WINDOW_MS = 4000;
const TRIES = IS_FULL ? 200 : 20;
/** On a slow machine, few tries of a round are fair. */
const MOST_ROUNDS = 5;
const POLL_MS = 100;

const CONNECTIONS = IS_FULL ? 50 : 10;
// nginx ends a connection after 1,000 requests, and h2load opens no other.
const SECONDS = IS_FULL ? 9 : 3;
const RATE_EACH = 100;

const REQUESTS = IS_FULL ? 1000 : 100;
const WORKERS = 2;
const SLOTS = 16;

/** How it went for a client that came back when it was told to. */
interface Obedient {
  readonly isAllowed: boolean;
  /** How often somebody else asked meanwhile. */
  readonly repeats: number;
}

describe('nginx, which remembers refusals', () => {
  const setup = new Setup();

  async function start(window: string): Promise<{ url: string; relay: Relay }> {
    const [service] = await setup.services(policies(window));
    const relay = await setup.relay(service?.port ?? 0);
    const { server } = await setup.gateway('nginx', [relay.port], { isFailClosed: true, isPatient: true });
    return { url: server.url, relay };
  }

  /** How many requests nginx got. */
  let asks = 0;

  /** Spends the unit, is refused, and comes back exactly when it was told to; somebody else with the same key asks all the time. */
  async function obey(client: Client, key: string): Promise<Obedient | undefined> {
    const ask = () => {
      asks += 1;
      return client.ask({ headers: { 'X-Api-Key': key } });
    };
    expect((await ask()).status).toBe(200);
    const { status, headers } = await ask();
    expect(status).toBe(429);
    const waitMs = Number(headers['retry-after']) * 1000;
    // A second later, it would be told to wait for less.
    if (waitMs < WINDOW_MS) return undefined;
    expect(waitMs).toBe(WINDOW_MS);
    const untilMs = performance.now() + waitMs;
    let repeats = 0;
    while (performance.now() < untilMs - 2 * POLL_MS) {
      await pause(POLL_MS);
      // On a slow machine the other one may come too late, and get the unit.
      if ((await ask()).status === 200) return undefined;
      repeats += 1;
    }
    await pause(untilMs - performance.now());
    // A timer of Node may be early by less than a millisecond.
    while (performance.now() < untilMs);
    return { isAllowed: (await ask()).status === 200, repeats };
  }

  it('never refuses a client that waits exactly as long as Retry-After says', async () => {
    const { url, relay } = await start(`${WINDOW_MS}ms`);
    const client = setup.client(url, TRIES);
    const fair: Obedient[] = [];
    for (let round = 0; round < MOST_ROUNDS && fair.length <= TRIES / 2; round += 1) {
      const tries = await Promise.all(
        Array.from({ length: TRIES }, async (_, i) => {
          await pause((i * 1000) / TRIES);
          return obey(client, `customer ${round}.${i}`);
        }),
      );
      fair.push(...tries.filter((one) => one !== undefined));
    }
    expect(fair.length).toBeGreaterThan(TRIES / 2);
    expect(fair.filter(({ isAllowed }) => !isAllowed)).toEqual([]);
    const repeats = fair.reduce((sum, one) => sum + one.repeats, 0);
    const { length: calls } = relay.calls;
    // Otherwise it remembers nothing, and this shows nothing.
    expect(calls).toBeLessThan(asks);
    if (IS_FULL)
      process.stdout.write(`gateways: nginx: ${fair.length} tries, ${repeats} repeats, ${calls} calls, 0 wrong\n`);
  });

  it('asks at most twice a second about a hot key that is refused', async () => {
    const { url, relay } = await start('1d');
    const client = setup.client(url);
    const asked = { headers: { 'X-Api-Key': 'hot' } };
    await client.ask(asked);
    expect((await client.ask(asked)).status).toBe(429);
    const { length: before } = relay.calls;
    const args = ['--h1', '-t', '1', '-c', `${CONNECTIONS}`, '--rps', `${RATE_EACH}`, '-D', `${SECONDS}`];
    const { stdout } = await promisify(execFile)(H2LOAD, [...args, '-H', 'x-api-key: hot', url]);
    const [, done = '', refused = ''] = /requests: .*, (\d+) done,.*\nstatus codes: .* (\d+) 4xx/.exec(stdout) ?? [];
    expect(Number(done)).toBeGreaterThan((CONNECTIONS * RATE_EACH * SECONDS) / (IS_FULL ? 1.1 : 4));
    expect(refused).toBe(done);
    const calls = relay.calls.length - before;
    expect(calls).toBeLessThanOrEqual(2 * SECONDS);
    if (IS_FULL) process.stdout.write(`gateways: nginx: ${done} refusals in ${SECONDS} s by ${calls} calls\n`);
  });

  it('keeps at most a connection for each worker and slot, whatever the answers are', async () => {
    const { url, relay } = await start('2s');
    const client = setup.client(url, 8);
    await Promise.all(
      Array.from({ length: 8 }, async (_, lane) => {
        // Allowed, and refused for less time than is remembered.
        for (let i = 0; i < REQUESTS / 16; i += 1) {
          const asked = { headers: { 'X-Api-Key': `${lane} ${i}` } };
          const statuses = [(await client.ask(asked)).status, (await client.ask(asked)).status];
          expect(statuses).toEqual([200, 429]);
        }
      }),
    );
    expect(relay.calls.length).toBeGreaterThanOrEqual(REQUESTS);
    expect(relay.connections).toBeLessThanOrEqual(WORKERS * SLOTS);
    if (IS_FULL)
      process.stdout.write(`gateways: nginx: ${relay.calls.length} calls by ${relay.connections} connections\n`);
  });
});
