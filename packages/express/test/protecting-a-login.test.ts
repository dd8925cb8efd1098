import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@sluice/core/testing';
import { transformSync } from '@swc/core';
import type { Express } from 'express';
import * as sluice from '../src/index.js';

// Attacks the code of the page packages/core/docs/protecting-a-login.md, and holds the worst case that the page promises.

const PAGE = readFileSync(join(__dirname, '../../core/docs/protecting-a-login.md'), 'utf8');
const [POLICY = '', WITH_DEVICES = ''] = Array.from(PAGE.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code]) => code);

const MINUTE_MS = 60_000;
const PERIODS_MS: Readonly<Record<string, number>> = {
  '15 minutes': 15 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
};

interface Login {
  readonly from: string;
  readonly user: string;
  readonly password?: string;
  readonly cookie?: string;
}

interface Answer {
  readonly status: number;
  readonly cookie: string;
  /** The limits that refused. */
  readonly violated: readonly string[];
}

const servers: Server[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 32 });

afterEach(() => {
  agent.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** The application of the page, with a clock that a test moves, and addresses as a proxy on this machine tells them. */
async function attacked(code: string) {
  const clock = new ManualClock();
  const store = new sluice.MemoryStore({ clock });
  const ours = { ...sluice, rateLimit: (options: object) => sluice.rateLimit({ ...options, store } as never) };
  const { code: script } = transformSync(`${code}\nexport { app };`, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  const made: { app?: Express } = {};
  new Function('require', 'exports', script)((id: string) => (id === '@sluice/express' ? ours : require(id)), made);
  const app = made.app as Express;
  app.set('trust proxy', 'loopback');
  const server = app.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const login = ({ from, user, password = 'wrong', cookie = '' }: Login): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': from, cookie };
      const options = { port, host: '127.0.0.1', path: '/login', method: 'POST', headers, agent };
      ask(options, (response) => {
        const { statusCode: status = 0, headers: fields } = response;
        const cookie = fields['set-cookie']?.[0]?.split(';')[0] ?? '';
        text(response).then((body) => {
          const { 'violated-policies': violated = [] } = status === 429 ? JSON.parse(body) : {};
          resolve({ status, cookie, violated });
        }, reject);
      })
        .once('error', reject)
        .end(JSON.stringify({ user, password }));
    });
  return { clock, login };
}

interface Attack {
  readonly pairs: readonly Login[];
  /** After how long it tries everybody again. */
  readonly everyMs: number;
  readonly lengthMs: number;
}

/**
 * When the application checked a wrong password, in milliseconds since the attack began. The attacker reads the refusals: until the next
 * round, no request comes from an address, or for a user, whose limit refused.
 */
async function attack({ pairs, everyMs, lengthMs }: Attack): Promise<number[]> {
  const { clock, login } = await attacked(POLICY);
  const checkedAtMs: number[] = [];
  for (let nowMs = 0; nowMs < lengthMs; nowMs += everyMs) {
    const spent = new Set<string>();
    for (const pair of pairs) {
      while (!spent.has(pair.from) && !spent.has(pair.user)) {
        const { status, violated } = await login(pair);
        if (status === 401) checkedAtMs.push(nowMs);
        else if (violated.includes('address')) spent.add(pair.from);
        else if (violated.includes('user')) spent.add(pair.user);
        else break;
      }
    }
    clock.advance(everyMs);
  }
  return checkedAtMs;
}

/** The most of these moments in any window of this length. */
function mostWithin(momentsMs: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, momentMs] of momentsMs.entries()) {
    while (momentMs - (momentsMs[first] as number) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

const address = (index: number) => `203.0.113.${index + 1}`;
const listOf = <T>(size: number, make: (index: number) => T): T[] => Array.from({ length: size }, (_, i) => make(i));

/** All pairs of so many addresses and so many users. */
const pairsOf = (addresses: number, users: number): Login[] =>
  listOf(addresses, address).flatMap((from) => listOf(users, (user) => ({ from, user: `user-${user}` })));

/** The rows of the page: an attack, and the most wrong passwords that it gets into a period. */
const ROWS = Array.from(
  PAGE.matchAll(/^\| (.*?address.*?) +\| (.*?) +\| (\d+) +\| (.*?) +\|$/gm),
  ([, has, tries, most, period = '']) => ({ name: `${has} and ${tries}`, most: Number(most), period }),
);

const HOUR_MS = 60 * MINUTE_MS;
const ATTACKS: Readonly<Record<string, Attack>> = {
  'one address and one user': { pairs: pairsOf(1, 1), everyMs: 15 * MINUTE_MS, lengthMs: 25 * HOUR_MS },
  'one address and any number of users': { pairs: pairsOf(1, 10), everyMs: 5 * MINUTE_MS, lengthMs: 4 * HOUR_MS },
  'any number of addresses and one user': { pairs: pairsOf(20, 1), everyMs: HOUR_MS, lengthMs: 26 * HOUR_MS },
  '2 addresses and 3 users, all in all ways': { pairs: pairsOf(2, 3), everyMs: 15 * MINUTE_MS, lengthMs: 25 * HOUR_MS },
};

describe('the worst case of the login policy', () => {
  it('is stated for each attack', () => {
    expect([...new Set(ROWS.map(({ name }) => name))].sort()).toEqual(Object.keys(ATTACKS).sort());
  });

  it.each(Object.entries(ATTACKS))('is what %s reach', async (name, made) => {
    const checkedAtMs = await attack(made);
    const stated = ROWS.filter((row) => row.name === name);
    const measured = stated.map((row) => ({ ...row, most: mostWithin(checkedAtMs, PERIODS_MS[row.period] as number) }));
    expect(measured).toEqual(stated);
  });
});

describe('the login policy', () => {
  it('checks 5 of 20 passwords that come at the same time', async () => {
    const { login } = await attacked(POLICY);
    const answers = await Promise.all(listOf(20, () => login({ from: address(0), user: 'ann' })));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it('gives nothing back for a login to another account', async () => {
    const { login } = await attacked(POLICY);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) {
      statuses.push((await login({ from: address(0), user: 'ann' })).status);
      expect((await login({ from: address(0), user: 'eve', password: 'open sesame' })).status).toBe(204);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('counts the addresses of an IPv6 network, and the spellings of a user, as one', async () => {
    const { login } = await attacked(POLICY);
    const names = ['ann', 'Ann', ' ann', 'ANN ', 'aNn', 'ann'];
    const statuses: number[] = [];
    for (const [i, user] of names.entries()) statuses.push((await login({ from: `2001:db8::${i}:1`, user })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  it('counts made-up users as it counts others', async () => {
    const { login } = await attacked(POLICY);
    const statuses = await Promise.all(listOf(60, (user) => login({ from: address(0), user: `made-up-${user}` })));
    expect(statuses.filter(({ status }) => status === 401)).toHaveLength(50);
  });
});

describe('the login policy with devices', () => {
  /** Spends what strangers may try of the user ann. */
  async function lockedOut() {
    const { login, clock } = await attacked(WITH_DEVICES);
    const right = { from: '198.51.100.1', user: 'ann', password: 'open sesame' };
    const { cookie } = await login(right);
    for (const pair of pairsOf(20, 1)) while ((await login({ ...pair, user: 'ann' })).status === 401);
    return { login, clock, right, cookie };
  }

  it('lets a device log in that did so before, while strangers have locked its user out', async () => {
    const { login, right, cookie } = await lockedOut();
    expect((await login(right)).status).toBe(429);
    expect((await login({ ...right, cookie })).status).toBe(204);
  });

  it('takes the cookie of another user, and a made-up one, for nothing', async () => {
    const { login, right } = await lockedOut();
    const { cookie } = await login({ ...right, user: 'eve' });
    expect((await login({ ...right, cookie })).status).toBe(429);
    expect((await login({ ...right, cookie: 'device=made-up' })).status).toBe(429);
  });
});
