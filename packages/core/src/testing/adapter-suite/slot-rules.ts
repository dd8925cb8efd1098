import assert from 'node:assert/strict';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding-window.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { Doorman } from './doorman.js';
import { OK, type Rules, type Stage } from './stage.js';

const ONE = concurrency({ limit: 1, lease: '30s' });
const THREE = concurrency({ limit: 3, lease: '30s' });

const free = (stage: Stage, limit = ONE): Promise<number> => stage.left(limit, 'concurrency');

const untilFree = (stage: Stage, count = 1, limit = ONE): Promise<void> =>
  stage.until('slots are free', async () => (await free(stage, limit)) === count);

/** Slots are held until a request ends, however it does. */
export const slotRules: Rules = {
  'holds a slot while the handler runs, refuses who finds none, and frees it at the end': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], doorman.handle);
    const first = stage.get();
    await doorman.holds(1);
    const refused = await stage.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['concurrency'], 1));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"concurrency";q=1;qu="concurrent-requests"',
      ratelimit: '"concurrency";r=0;t=1',
      'retry-after': '1',
    });
    doorman.release();
    assert.equal((await first).status, 200);
    await untilFree(stage);
    const third = stage.get();
    await doorman.holds(1);
    assert.equal(await free(stage), 0);
    doorman.release();
    assert.equal((await third).status, 200);
    await untilFree(stage);
  },

  'frees the slot when the handler fails': async (stage) => {
    await stage.serve([{ limit: ONE }], ({ path }) => {
      if (path === '/throws') throw new Error('the handler is broken');
      return Promise.reject(new Error('the handler is broken'));
    });
    for (const path of ['/throws', '/rejects']) {
      assert.equal((await stage.get(path)).status, 500);
      await untilFree(stage);
    }
  },

  'frees the slot when the client leaves, and once': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], doorman.handle);
    const leaving = stage.begin();
    await doorman.holds(1);
    leaving.leave();
    await untilFree(stage);
    const next = stage.get();
    await doorman.holds(2);
    doorman.release();
    // The answer to nobody ends before this one's, and frees nothing of it.
    assert.equal((await stage.get()).status, 429);
    doorman.release();
    assert.equal((await next).status, 200);
    await untilFree(stage);
  },

  'frees the slot of a client that left before it was granted': async (stage) => {
    let open = (): void => {};
    const opened = new Promise<string>((resolve) => {
      // By then the connection has no address any more.
      open = () => resolve('all');
    });
    let isAsked = false;
    const keyGenerator = () => {
      isAsked = true;
      return opened;
    };
    await stage.serve(
      (tools) => [{ limit: ONE, keyGenerator, skip: (...args) => tools.requestOf(args).url === '/meanwhile' }],
      ({ path }) => (path === '/meanwhile' ? OK : new Promise(() => {})),
    );
    const leaving = stage.begin();
    await stage.until('the key is asked for', () => isAsked);
    leaving.leave();
    // By the time that these are answered, the server has heard of it.
    assert.deepEqual(await stage.statuses(3, '/meanwhile'), [200, 200, 200]);
    open();
    await stage.until('the slot is granted', () => stage.store.asked === 1);
    await stage.until('the slot is free', async () => (await stage.left(ONE, 'concurrency', 'default', 'all')) === 1);
  },

  'frees the slots of requests that were sent one behind the other when their connection ends': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: THREE }], doorman.handle);
    const { leave } = stage.client.write('GET / HTTP/1.1\r\nHost: sluice\r\n\r\n'.repeat(3));
    await stage.until('every slot is taken', async () => (await free(stage, THREE)) === 0);
    leave();
    await untilFree(stage, 3, THREE);
  },

  'frees the slot of every request on a connection that is kept alive': async (stage) => {
    await stage.serve([{ limit: ONE }]);
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await stage.get()).status, 200);
      await untilFree(stage);
    }
  },

  'frees the slot when the handler settles': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], async (request) => {
      await request.rateLimit?.settle();
      return doorman.handle(request);
    });
    const answers = [stage.get(), stage.get()];
    await doorman.holds(2);
    doorman.release();
    doorman.release();
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    assert.equal(await free(stage), 1);
  },

  'keeps the slot of a handler that outlasts the lease': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], doorman.handle);
    const answer = stage.get();
    await doorman.holds(1);
    for (let i = 0; i < 5; i += 1) {
      await stage.clock.untilSleeping(1);
      stage.clock.advance('10s');
    }
    await stage.clock.untilSleeping(1);
    assert.equal((await stage.get()).status, 429);
    doorman.release();
    assert.equal((await answer).status, 200);
    await untilFree(stage);
  },

  'takes no slot for a request that another limit refuses': async (stage) => {
    await stage.serve([{ limits: [THREE, slidingWindow({ limit: 1, window: '1m' })] }]);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
    await untilFree(stage, 3, THREE);
  },
};
