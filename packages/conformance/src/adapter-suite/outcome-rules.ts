import { concurrency, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterOptions, AdapterRequest, AdapterTools } from './adapter-app.js';
import type { AdapterFixture, Rules } from './adapter-fixture.js';
import { available } from './answer-fields.js';
import { HeldHandler } from './held-handler.js';
import { recordedWarnings } from './recorded-warnings.js';

const FIVE = slidingWindow({ limit: 5, window: '1m' });
const SLOTS = concurrency({ limit: 2, lease: '30s' });

/** Responds to `/404` with 404, and fails on `/error`. */
function byPath({ path }: AdapterRequest): { status: number; body: string } {
  if (path === '/error') throw new Error('the handler is broken');
  return { status: Number(path.slice(1)), body: path };
}

/** Requests each path, and checks how many of five units remain when all requests have ended. */
async function leaves(fixture: AdapterFixture, count: number, ...paths: string[]): Promise<void> {
  for (const path of paths) await fixture.get(path);
  await fixture.until(`${count} remain after ${paths}`, async () => (await fixture.left(FIVE, 'per-1m')) === count);
}

/** A hook that must not be called. */
const never = (): never => assert.fail('must not be called');

type HookOf = (tools: AdapterTools) => NonNullable<AdapterOptions['requestWasSuccessful']>;

const FAILING_HOOKS: Readonly<Record<string, HookOf>> = {
  throws: () => () => {
    throw new Error('the hook is broken');
  },
  rejects: () => async () => {
    throw new Error('the hook is broken');
  },
  'throws a value that cannot be converted to text': () => () => {
    throw Object.create(null);
  },
};

/** Charges that depend on how a request ends. */
export const outcomeRules: Rules = {
  'gives back the charge of a request that failed, with skipFailedRequests': async (fixture) => {
    await fixture.serve([{ limit: FIVE, skipFailedRequests: true }], byPath);
    await leaves(fixture, 5, '/400', '/404', '/500', '/error');
    await leaves(fixture, 3, '/200', '/302');
  },

  'gives back the charge of a request that succeeded, with skipSuccessfulRequests': async (fixture) => {
    await fixture.serve([{ limit: FIVE, skipSuccessfulRequests: true }], byPath);
    await leaves(fixture, 5, '/200', '/201', '/302', '/399');
    await leaves(fixture, 3, '/400', '/error');
  },

  ...Object.fromEntries(
    (['skipFailedRequests', 'skipSuccessfulRequests'] as const).flatMap((option) => [
      [
        `keeps the charge of a client that left before the response, and does not call requestWasSuccessful, with ${option}`,
        async (fixture: AdapterFixture) => {
          const handler = new HeldHandler();
          await fixture.serve([{ limits: [SLOTS, FIVE], [option]: true, requestWasSuccessful: never }], handler.handle);
          const leaving = fixture.begin();
          await handler.holds(1);
          leaving.leave();
          if (fixture.reportsHandlers) {
            // The renewal of the slot, and its end.
            await fixture.clock.untilSleeping(2);
            handler.release();
          }
          await fixture.until('the slot is free', async () => (await fixture.left(SLOTS, 'concurrency')) === 2);
          assert.equal(await fixture.left(FIVE, 'per-1m'), 4);
        },
      ],
      [
        `keeps the charge of a client that left in the middle of the response, with ${option}`,
        async (fixture: AdapterFixture) => {
          const body = 'x'.repeat(20_000_000);
          await fixture.serve([{ limits: [SLOTS, FIVE], [option]: true, requestWasSuccessful: never }], () => ({
            status: 200,
            body,
          }));
          const leaving = fixture.client.write('GET / HTTP/1.1\r\nHost: sluice\r\n\r\n');
          await leaving.begun;
          leaving.leave();
          await fixture.until('the slot is free', async () => (await fixture.left(SLOTS, 'concurrency')) === 2);
          assert.equal(await fixture.left(FIVE, 'per-1m'), 4);
        },
      ],
      [
        `gives nothing back if the handler settles later, and uses its amount, with ${option}`,
        async (fixture: AdapterFixture) => {
          const settlements: (() => unknown)[] = [];
          await fixture.serve([{ limits: [SLOTS, FIVE], [option]: true, cost: 3 }], ({ path, rateLimit }) => {
            rateLimit?.deferSettle();
            settlements.push(() => rateLimit?.settle(1));
            return { status: Number(path.slice(1)), body: '' };
          });
          const freed = () =>
            fixture.until('the slot is free', async () => (await fixture.left(SLOTS, 'concurrency')) === 2);
          await fixture.get(option === 'skipFailedRequests' ? '/500' : '/200');
          await freed();
          assert.equal(await fixture.left(FIVE, 'per-1m'), 2);
          await settlements[0]?.();
          assert.equal(await fixture.left(FIVE, 'per-1m'), 4);
          // A charge that is never settled stays.
          await fixture.get(option === 'skipFailedRequests' ? '/500' : '/200');
          await freed();
          assert.equal(await fixture.left(FIVE, 'per-1m'), 1);
        },
      ],
    ]),
  ),

  'calls requestWasSuccessful when the status is known': async (fixture) => {
    await fixture.serve(
      (tools) => [
        { limit: FIVE, skipFailedRequests: true, requestWasSuccessful: (...args) => tools.statusOf(args) === 404 },
      ],
      byPath,
    );
    await leaves(fixture, 5, '/200');
    await leaves(fixture, 4, '/404');
  },

  'waits for the result of requestWasSuccessful': async (fixture) => {
    await fixture.serve(
      (tools) => [
        {
          limit: FIVE,
          skipSuccessfulRequests: true,
          requestWasSuccessful: async (...args) => tools.statusOf(args) === 404,
        },
      ],
      byPath,
    );
    await leaves(fixture, 5, '/404');
    await leaves(fixture, 4, '/200');
  },

  'calls requestWasSuccessful once for each pipelined request': async (fixture) => {
    let calls = 0;
    const requestWasSuccessful = () => {
      calls += 1;
      return calls > 1;
    };
    await fixture.serve([{ limit: FIVE, skipFailedRequests: true, requestWasSuccessful }]);
    const one = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    await fixture.client.write(one + one + last).answers;
    await leaves(fixture, 3);
    assert.equal(calls, 3);
  },

  ...Object.fromEntries(
    Object.entries(FAILING_HOOKS).map(([fails, hookOf]) => [
      `keeps the charge, frees the slot and warns once if requestWasSuccessful ${fails}`,
      async (fixture) => {
        const codes = await recordedWarnings(async () => {
          await fixture.serve((tools) => [
            { limits: [SLOTS, FIVE], skipFailedRequests: true, requestWasSuccessful: hookOf(tools) },
          ]);
          for (let i = 0; i < 3; i += 1) {
            assert.equal((await fixture.get()).status, 200);
            await fixture.until('the slot is free', async () => (await fixture.left(SLOTS, 'concurrency')) === 2);
          }
          await leaves(fixture, 2);
        });
        assert.deepEqual(codes, ['SLUICE_HOOK_FAILED']);
      },
    ]),
  ),

  'does not correct other policies': async (fixture) => {
    await fixture.serve(
      [
        { name: 'site', limit: FIVE },
        { name: 'api', limit: slidingWindow({ limit: 7, window: '1m' }), skipFailedRequests: true },
      ],
      byPath,
    );
    await fixture.get('/500');
    await fixture.until(
      'the end',
      async () => (await fixture.left(slidingWindow({ limit: 7, window: '1m' }), 'api', 'api')) === 7,
    );
    assert.deepEqual(available(await fixture.get('/200')), { site: 3, api: 6 });
  },

  'keeps the amount that the handler has settled': async (fixture) => {
    await fixture.serve([{ limit: FIVE, skipFailedRequests: true }], async ({ rateLimit }) => {
      await rateLimit?.settle(2);
      return { status: 500, body: '' };
    });
    await leaves(fixture, 3, '/');
    await leaves(fixture, 1, '/');
  },

  'keeps the amount that the handler settled before it failed': async (fixture) => {
    await fixture.serve([{ limit: FIVE, skipFailedRequests: true }], async ({ rateLimit }) => {
      await rateLimit?.settle(2);
      throw new Error('the handler is broken');
    });
    assert.equal((await fixture.get()).status, 500);
    await leaves(fixture, 3);
    assert.equal((await fixture.get()).status, 500);
    await leaves(fixture, 1);
  },

  "leaves a handler's error to the framework, and states the remaining units in its response": async (fixture) => {
    await fixture.serve([{ limit: FIVE }], byPath);
    const failed = await fixture.get('/error');
    assert.deepEqual([failed.status, available(failed)], [500, { 'per-1m': 4 }]);
    assert.equal((await fixture.get('/200')).status, 200);
  },
};
