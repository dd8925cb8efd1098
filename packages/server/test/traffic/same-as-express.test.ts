import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { ipKey } from '@sluice/core/http';
import { ManualClock } from '@sluice/core/testing';
import { rateLimit } from '@sluice/express';
import express from 'express';
import { seededRandom } from '../../../test-kit/src/seeded-random.js';
import { type Answered, ask } from '../ask.js';
import { FragileStore } from '../fragile-store.js';
import { TextSource } from '../text-source.js';
import { startTraffic } from './traffic-server.js';

/** One policy for every kind of answer. */
const TEXT = `version: 1
keys: { customer: { header: x-api-key } }
tiers: { free: { minute: { limit: 2, window: 1m } }, pro: { minute: { limit: 6, window: 1m } } }
customers:
  k1: { tier: pro }
  k2: { tier: free }
  k3: { block: true, reason: scraping }
policies:
  one: { limits: [{ limit: 3, window: 10s }] }
  several:
    limits:
      - { name: second, limit: 1, window: 2s }
      - { name: minute, algorithm: fixed-window, limit: 9, window: 1m }
      - { name: bucket, algorithm: token-bucket, capacity: 12, refillRate: 0.5 }
  calendar: { limits: [{ name: day, limit: 4, window: { unit: day, timeZone: Europe/Rome } }] }
  penalty: { limits: [{ name: strict, algorithm: fixed-window, limit: 2, window: 5s, blockDuration: 20s }] }
  blocked: { limits: [{ name: minute, limit: 50, window: 1m }] }
  lists: { limits: [{ name: minute, limit: 2, window: 1m }], denyList: [192.0.2.1], allowList: [192.0.2.2] }
  customers:
    key: customer
    tier: { from: customers, default: free }
    unknownCustomer: refuse
    limits: [{ name: minute, tier: true }]
  never: { cost: 5, limits: [{ name: small, limit: 4, window: 1m }] }
  closed: { onStoreError: deny, limits: [{ name: minute, limit: 3, window: 1m }] }
  open: { onStoreError: allow, limits: [{ name: minute, limit: 3, window: 1m }] }
  local: { limits: [{ name: minute, limit: 3, window: 1m }] }
  shadow: { enforce: 0, limits: [{ name: minute, limit: 1, window: 1m }] }
`;

const NAMES = [...TEXT.matchAll(/^ {2}(\w+):(?= \{ (?:limits|enforce|cost|onStoreError)|$)/gm)].map(([, name]) =>
  String(name),
);

/** What connections and Express add to every answer. */
const OTHERS = new Set(['date', 'connection', 'keep-alive', 'x-powered-by']);

const fieldsOf = ({ headers }: Answered, ...without: string[]) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !OTHERS.has(name.toLowerCase()) && !without.includes(name)),
  );

/** The application of a user, which has the same policies from the same text. */
async function startExpress(store: Store) {
  const live = await policies({ source: new TextSource(TEXT), store });
  const app = express();
  app.set('trust proxy', 'loopback');
  for (const name of NAMES) app.use(`/${name}`, rateLimit(live.policy(name)));
  app.use('/chain', rateLimit(live.policy('one')), rateLimit(live.policy('several')));
  app.use((_request, response) => void response.status(204).end());
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await live.close();
  };
  return { port: (server.address() as AddressInfo).port, live, close };
}

const ADDRESSES = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '::ffff:192.0.2.3'];

/** Most policies are asked often enough by one address to refuse it. */
const USUAL = ['192.0.2.3', '192.0.2.3', '192.0.2.1'];
const KEYS = ['k1', 'k2', 'k2', 'k3', 'k4', undefined];

const ROUNDS = 16;

describe.each([
  ['a synchronous store', (clock: ManualClock) => new MemoryStore({ clock })],
  ['a store that answers later, and is lost at times', (clock: ManualClock) => new FragileStore(clock)],
])('over %s', (_, storeOf) => {
  const clock = new ManualClock(Date.UTC(2026, 2, 28, 21, 0, 0));
  const stores = [storeOf(clock), storeOf(clock), storeOf(clock)] as const;
  let app: Awaited<ReturnType<typeof startExpress>>;
  let forward: Awaited<ReturnType<typeof startTraffic>>;
  let subrequest: Awaited<ReturnType<typeof startTraffic>>;

  beforeAll(async () => {
    app = await startExpress(stores[0]);
    forward = await startTraffic(TEXT, { clock, store: stores[1] });
    subrequest = await startTraffic(TEXT, { clock, store: stores[2] });
    await rateLimit(app.live.policy('blocked')).block(ipKey('192.0.2.3'), '10m');
    await Promise.all(
      [forward, subrequest].map(({ service }) => service.handle('blocked').block(ipKey('192.0.2.3'), '10m')),
    );
  });

  afterAll(() => Promise.all([app, forward, subrequest].map((server) => server?.close())));

  const askAll = async (policy: string, ip: string, key: string | undefined) => {
    const path = policy === 'chain' ? 'one/several' : policy;
    const own = key === undefined ? {} : { 'x-api-key': key };
    const headers = { ...own, 'x-forwarded-for': ip };
    const [express, forwarded, answered] = await Promise.all([
      ask(app.port, `/${policy}`, { headers }),
      forward.ask(`/v1/forward-auth/${path}`, { headers }),
      subrequest.ask(`/v1/auth-request/${path}`, { headers: { ...own, 'x-real-ip': ip } }),
    ]);
    return { express, forwarded, answered };
  };

  it('every answer has the status, the fields and the body of Express', async () => {
    const random = seededRandom(20_261_122);
    const below = (end: number): number => Math.floor(random() * end);
    const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;
    const seen = new Set<string>();
    const asked = new Array<readonly string[]>(ROUNDS).fill([...NAMES, 'chain']).flat();
    for (const policy of asked) {
      const isLost = below(4) === 0;
      for (const store of stores) if (store instanceof FragileStore) store.isLost = isLost;
      const { express, forwarded, answered } = await askAll(policy, oneOf([...ADDRESSES, ...USUAL]), oneOf(KEYS));

      expect([policy, forwarded.status, forwarded.body]).toEqual([policy, express.status, express.body]);
      expect(fieldsOf(forwarded)).toEqual(fieldsOf(express));

      const isAllowed = express.status === 204;
      const own = ['Sluice-Status', 'Sluice-Problem', 'Cache-Control', 'Content-Type', 'Content-Length'];
      expect([answered.status, answered.body]).toEqual([isAllowed ? 204 : 403, '']);
      expect([answered.headers['Sluice-Status'], answered.headers['Sluice-Problem']]).toEqual(
        isAllowed ? [undefined, undefined] : [String(express.status), express.body],
      );
      expect(fieldsOf(answered, ...own)).toEqual(fieldsOf(express, 'Cache-Control', 'Content-Type', 'Content-Length'));

      seen.add(`${policy} ${express.status}`);
      clock.advance(below(100));
    }
    // Every kind of answer has come.
    const kinds = ['one 429', 'several 429', 'calendar 429', 'penalty 429', 'blocked 429', 'lists 403', 'never 429'];
    const more = [
      'customers 401',
      'customers 403',
      'customers 429',
      'shadow 204',
      'open 204',
      'local 429',
      'chain 429',
    ];
    expect([...kinds, ...more].filter((kind) => !seen.has(kind))).toEqual([]);
    expect(seen.has('closed 503')).toBe(stores[0] instanceof FragileStore);
  });
});
