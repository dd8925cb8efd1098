import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { boundOf, createLimiter, type Limit, slidingWindow, tokenBucket } from '@sluice/core';
import type { Connection } from '../clients/connection.js';
import { CONNECT_BY_SENTINEL } from '../clients/connections-by-sentinel.js';
import { IS_FULL } from '../clients/over-client.js';
import { Successor } from '../successor.js';
import { admittedOf, Stage, TIMEOUT_MS } from './stage.js';

const LIMITS: readonly Limit[] = [
  slidingWindow({ limit: 20, window: '1h' }),
  tokenBucket({ capacity: 20, refillRate: 0 }),
];

/** Several servers have to start and find each other, and the machine may be busy. */
const PATIENCE_MS = 180_000;

let stage: Stage;
let successor: Successor;
let connection: Connection;

/** The clients share all that this is about but the way to the server. CI takes one of them. */
const CLIENTS = Object.entries(CONNECT_BY_SENTINEL).slice(0, IS_FULL ? undefined : 1);

beforeEach(async () => {
  stage = await Stage.set();
  successor = await Successor.of(stage.server);
}, PATIENCE_MS);

afterEach(async () => {
  await stage.clear();
  await connection.end();
  await successor.stop();
}, PATIENCE_MS);

describe.each(
  CLIENTS.flatMap(([client, connect]) =>
    LIMITS.map((limit) => ({ client, connect, limit, algorithm: limit.algorithm })),
  ),
)('Over $client, of 20 with a $algorithm', ({ connect, limit }) => {
  it.each([
    ['deny', { losses: 1 }],
    ['local', { losses: 1, instances: 1 }],
  ] as const)(
    'no more than the bound are admitted if a failover loses the counts: %s meanwhile',
    async (onStoreError, worst) => {
      connection = await connect(successor.sentinel);
      const store = stage.storeOver(connection.client, TIMEOUT_MS);
      const limiter = createLimiter({ limit, onStoreError, store });
      const hammer = () => Promise.all(Array.from({ length: 30 }, () => stage.ask(limiter)));
      await successor.fallBehind();
      await stage.untilBack(limiter);
      await hammer();
      await stage.server.kill();
      await hammer();
      await successor.promoted();
      await stage.untilBack(limiter);
      await hammer();
      const admitted = admittedOf(stage.answers);
      expect(admitted).toBeLessThanOrEqual(boundOf(limit, '1h', worst));
      // Worse than without a fault, so that the bound is needed.
      expect(admitted).toBeGreaterThan(boundOf(limit, '1h'));
    },
    PATIENCE_MS,
  );
});
