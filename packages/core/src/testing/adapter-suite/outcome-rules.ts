import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { AdapterOptions, AdapterRequest, AdapterTools } from './adapter-app.js';
import { available } from './answer-fields.js';
import { Doorman } from './doorman.js';
import { recordedWarnings } from './recorded-warnings.js';
import type { Rules, Stage } from './stage.js';

const FIVE = slidingWindow({ limit: 5, window: '1m' });
const SLOTS = concurrency({ limit: 2, lease: '30s' });

/** Answers `/404` with 404, and fails on `/error`. */
function byPath({ path }: AdapterRequest): { status: number; body: string } {
  if (path === '/error') throw new Error('the handler is broken');
  return { status: Number(path.slice(1)), body: path };
}

/** Asks for each path, and looks at what is left of five once every one of them has ended. */
async function leaves(stage: Stage, count: number, ...paths: string[]): Promise<void> {
  for (const path of paths) await stage.get(path);
  await stage.until(`${count} left after ${paths}`, async () => (await stage.left(FIVE, 'per-1m')) === count);
}

/** In place of a hook that is not to be asked. */
const never = (): never => assert.fail('nobody is to be asked');

type HookOf = (tools: AdapterTools) => NonNullable<AdapterOptions['requestWasSuccessful']>;

const FAILING_HOOKS: Readonly<Record<string, HookOf>> = {
  throws: () => () => {
    throw new Error('the hook is broken');
  },
  rejects: () => async () => {
    throw new Error('the hook is broken');
  },
  'throws what no text can be made of': () => () => {
    throw Object.create(null);
  },
};

/** Charges that depend on how a request ends. */
export const outcomeRules: Rules = {
  'gives back the charge of a request that failed, with skipFailedRequests': async (stage) => {
    await stage.serve([{ limit: FIVE, skipFailedRequests: true }], byPath);
    await leaves(stage, 5, '/400', '/404', '/500', '/error');
    await leaves(stage, 3, '/200', '/302');
  },

  'gives back the charge of a request that succeeded, with skipSuccessfulRequests': async (stage) => {
    await stage.serve([{ limit: FIVE, skipSuccessfulRequests: true }], byPath);
    await leaves(stage, 5, '/200', '/201', '/302', '/399');
    await leaves(stage, 3, '/400', '/error');
  },

  ...Object.fromEntries(
    (['skipFailedRequests', 'skipSuccessfulRequests'] as const).flatMap((option) => [
      [
        `keeps the charge of a client that left before the answer, and does not ask whether that was a success, with ${option}`,
        async (stage: Stage) => {
          const doorman = new Doorman();
          await stage.serve([{ limits: [SLOTS, FIVE], [option]: true, requestWasSuccessful: never }], doorman.handle);
          const leaving = stage.begin();
          await doorman.holds(1);
          leaving.leave();
          if (stage.tellsOfHandlers) {
            // The renewal of the slot, and the end of it.
            await stage.clock.untilSleeping(2);
            doorman.release();
          }
          await stage.until('the slot is free', async () => (await stage.left(SLOTS, 'concurrency')) === 2);
          assert.equal(await stage.left(FIVE, 'per-1m'), 4);
        },
      ],
      [
        `keeps the charge of a client that left in the middle of the answer, with ${option}`,
        async (stage: Stage) => {
          const body = 'x'.repeat(20_000_000);
          await stage.serve([{ limits: [SLOTS, FIVE], [option]: true, requestWasSuccessful: never }], () => ({
            status: 200,
            body,
          }));
          const leaving = stage.client.write('GET / HTTP/1.1\r\nHost: sluice\r\n\r\n');
          await leaving.begun;
          leaving.leave();
          await stage.until('the slot is free', async () => (await stage.left(SLOTS, 'concurrency')) === 2);
          assert.equal(await stage.left(FIVE, 'per-1m'), 4);
        },
      ],
      [
        `gives nothing back when the handler settles later, and counts that, with ${option}`,
        async (stage: Stage) => {
          const settlements: (() => unknown)[] = [];
          await stage.serve([{ limits: [SLOTS, FIVE], [option]: true, cost: 3 }], ({ path, rateLimit }) => {
            rateLimit?.deferSettle();
            settlements.push(() => rateLimit?.settle(1));
            return { status: Number(path.slice(1)), body: '' };
          });
          const freed = () =>
            stage.until('the slot is free', async () => (await stage.left(SLOTS, 'concurrency')) === 2);
          await stage.get(option === 'skipFailedRequests' ? '/500' : '/200');
          await freed();
          assert.equal(await stage.left(FIVE, 'per-1m'), 2);
          await settlements[0]?.();
          assert.equal(await stage.left(FIVE, 'per-1m'), 4);
          // What is never settled stays charged.
          await stage.get(option === 'skipFailedRequests' ? '/500' : '/200');
          await freed();
          assert.equal(await stage.left(FIVE, 'per-1m'), 1);
        },
      ],
    ]),
  ),

  'asks requestWasSuccessful when the status is known': async (stage) => {
    await stage.serve(
      (tools) => [
        { limit: FIVE, skipFailedRequests: true, requestWasSuccessful: (...args) => tools.statusOf(args) === 404 },
      ],
      byPath,
    );
    await leaves(stage, 5, '/200');
    await leaves(stage, 4, '/404');
  },

  'waits for what requestWasSuccessful answers': async (stage) => {
    await stage.serve(
      (tools) => [
        {
          limit: FIVE,
          skipSuccessfulRequests: true,
          requestWasSuccessful: async (...args) => tools.statusOf(args) === 404,
        },
      ],
      byPath,
    );
    await leaves(stage, 5, '/404');
    await leaves(stage, 4, '/200');
  },

  'asks requestWasSuccessful once for each of the requests that are sent one behind the other': async (stage) => {
    let calls = 0;
    const requestWasSuccessful = () => {
      calls += 1;
      return calls > 1;
    };
    await stage.serve([{ limit: FIVE, skipFailedRequests: true, requestWasSuccessful }]);
    const one = 'GET / HTTP/1.1\r\nHost: sluice\r\n\r\n';
    const last = 'GET / HTTP/1.1\r\nHost: sluice\r\nConnection: close\r\n\r\n';
    await stage.client.write(one + one + last).answers;
    await leaves(stage, 3);
    assert.equal(calls, 3);
  },

  ...Object.fromEntries(
    Object.entries(FAILING_HOOKS).map(([fails, hookOf]) => [
      `keeps the charge, frees the slot and warns once when requestWasSuccessful ${fails}`,
      async (stage) => {
        const codes = await recordedWarnings(async () => {
          await stage.serve((tools) => [
            { limits: [SLOTS, FIVE], skipFailedRequests: true, requestWasSuccessful: hookOf(tools) },
          ]);
          for (let i = 0; i < 3; i += 1) {
            assert.equal((await stage.get()).status, 200);
            await stage.until('the slot is free', async () => (await stage.left(SLOTS, 'concurrency')) === 2);
          }
          await leaves(stage, 2);
        });
        assert.deepEqual(codes, ['SLUICE_HOOK_FAILED']);
      },
    ]),
  ),

  'corrects nothing of other policies': async (stage) => {
    await stage.serve(
      [
        { name: 'site', limit: FIVE },
        { name: 'api', limit: slidingWindow({ limit: 7, window: '1m' }), skipFailedRequests: true },
      ],
      byPath,
    );
    await stage.get('/500');
    await stage.until(
      'the end',
      async () => (await stage.left(slidingWindow({ limit: 7, window: '1m' }), 'api', 'api')) === 7,
    );
    assert.deepEqual(available(await stage.get('/200')), { site: 3, api: 6 });
  },

  'leaves alone what the handler has settled': async (stage) => {
    await stage.serve([{ limit: FIVE, skipFailedRequests: true }], async ({ rateLimit }) => {
      await rateLimit?.settle(2);
      return { status: 500, body: '' };
    });
    await leaves(stage, 3, '/');
    await leaves(stage, 1, '/');
  },

  'leaves alone what the handler has settled before it failed': async (stage) => {
    await stage.serve([{ limit: FIVE, skipFailedRequests: true }], async ({ rateLimit }) => {
      await rateLimit?.settle(2);
      throw new Error('the handler is broken');
    });
    assert.equal((await stage.get()).status, 500);
    await leaves(stage, 3);
    assert.equal((await stage.get()).status, 500);
    await leaves(stage, 1);
  },

  "leaves a handler's error to the framework, and tells in its answer what is left": async (stage) => {
    await stage.serve([{ limit: FIVE }], byPath);
    const failed = await stage.get('/error');
    assert.deepEqual([failed.status, available(failed)], [500, { 'per-1m': 4 }]);
    assert.equal((await stage.get('/200')).status, 200);
  },
};
