import assert from 'node:assert/strict';
import { tokenBucket } from '../../algorithms/buckets/token.js';
import { concurrency } from '../../algorithms/concurrency.js';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { AdapterAnswer, AdapterRequest } from './adapter-app.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { Doorman } from './doorman.js';
import { OK, type Rules, type Stage } from './stage.js';

const ONE = concurrency({ limit: 1, lease: '30s' });
const TWO = concurrency({ limit: 2, lease: '30s' });
const THREE = concurrency({ limit: 3, lease: '30s' });

const free = (stage: Stage, limit = ONE): Promise<number> => stage.left(limit, 'concurrency');

const untilFree = (stage: Stage, count = 1, limit = ONE): Promise<void> =>
  stage.until('slots are free', async () => (await free(stage, limit)) === count);

const FIVE = slidingWindow({ limit: 5, window: '1m' });

/** Handlers that take some turns of the event loop, and clients that leave as soon as theirs is at work. */
class Crowd {
  /** The largest number of handlers that were at work at once. */
  most = 0;
  #begun = 0;
  #atWork = 0;

  readonly handle = async (_request: AdapterRequest): Promise<AdapterAnswer> => {
    this.#begun += 1;
    this.#atWork += 1;
    this.most = Math.max(this.most, this.#atWork);
    for (let i = 0; i < 50; i += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#atWork -= 1;
    return OK;
  };

  /** So many clients come, one behind the other, and leave while their handlers are at work. */
  async come(stage: Stage, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const begun = this.#begun;
      let isAnswered = false;
      const client = stage.begin();
      const answered = (): void => {
        isAnswered = true;
      };
      client.answer.then(answered, answered);
      await stage.until('it is handled or refused', () => this.#begun > begun || isAnswered);
      client.leave();
    }
    await stage.until('nobody is at work', () => this.#atWork === 0);
  }
}

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

  'frees the slot once when the client leaves, where nobody tells when the handler ends': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], doorman.handle);
    if (stage.tellsOfHandlers) return;
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

  'keeps the slot of a client that left until its handler has ended, where that is known, and frees it once': async (
    stage,
  ) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }, { name: 'all', limit: 100, window: '1m' }], doorman.handle);
    if (!stage.tellsOfHandlers) return;
    const leaving = stage.begin();
    await doorman.holds(1);
    leaving.leave();
    await stage.clock.untilSleeping(2);
    assert.equal((await stage.get()).status, 429);
    doorman.release();
    await untilFree(stage);
    const next = stage.get();
    await doorman.holds(1);
    assert.equal((await stage.get()).status, 429);
    doorman.release();
    assert.equal((await next).status, 200);
    await untilFree(stage);
  },

  'never runs more handlers than there are slots, though their clients leave': async (stage) => {
    const crowd = new Crowd();
    await stage.serve([{ limit: TWO }], (request) => {
      const work = crowd.handle(request);
      // Where nobody tells when handlers end, they have to say it.
      if (!stage.tellsOfHandlers) request.rateLimit?.releaseAfter(work);
      return work;
    });
    await crowd.come(stage, 40);
    assert.equal(crowd.most, 2);
    await untilFree(stage, 2, TWO);
  },

  'keeps a slot until what releaseAfter was given has ended, in every policy that the request has met': async (
    stage,
  ) => {
    const [work, more] = [new Doorman(), new Doorman()];
    await stage.serve(
      [
        { name: 'outer', limit: ONE },
        { name: 'inner', limit: FIVE },
      ],
      (request) => {
        request.rateLimit?.releaseAfter(work.handle(request));
        request.rateLimit?.releaseAfter(more.handle(request).then(() => Promise.reject(new Error('the work failed'))));
        return OK;
      },
    );
    assert.equal((await stage.get()).status, 200);
    await stage.clock.untilSleeping(2);
    assert.equal(await stage.left(ONE, 'outer', 'outer'), 0);
    work.release();
    assert.equal((await stage.get()).status, 429);
    more.release();
    await stage.until('the slot is free', async () => (await stage.left(ONE, 'outer', 'outer')) === 1);
    assert.equal(await stage.left(FIVE, 'inner', 'inner'), 4);
  },

  'keeps a slot for one lease after the response, whatever the promise does that releaseAfter was given': async (
    stage,
  ) => {
    await stage.serve([{ limit: ONE }], ({ rateLimit }) => {
      rateLimit?.releaseAfter(new Promise(() => {}));
      return OK;
    });
    assert.equal((await stage.get()).status, 200);
    for (const elapsed of [10, 20]) {
      // The end, and the next renewal.
      await stage.clock.untilSleeping(2);
      stage.clock.advance('10s');
      assert.equal((await stage.get()).status, 429, `after ${elapsed} s`);
    }
    await stage.clock.untilSleeping(2);
    stage.clock.advance('10s');
    await untilFree(stage);
  },

  'keeps a slot for one lease after the response, whatever the handler does': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: ONE }], doorman.handle);
    if (!stage.tellsOfHandlers) return;
    const leaving = stage.begin();
    await doorman.holds(1);
    leaving.leave();
    await stage.clock.untilSleeping(2);
    stage.clock.advance('29s');
    assert.equal((await stage.get()).status, 429);
    await stage.clock.untilSleeping(2);
    stage.clock.advance('1s');
    await untilFree(stage);
  },

  'refuses what is no promise in releaseAfter': async (stage) => {
    await stage.serve([{ limit: ONE }], ({ rateLimit }) => {
      const work = 'work' as unknown as Promise<unknown>;
      assert.throws(() => rateLimit?.releaseAfter(work), { code: 'SLUICE_OPTION', path: 'releaseAfter' });
      return OK;
    });
    assert.equal((await stage.get()).status, 200);
    await untilFree(stage);
  },

  'frees the slot at the end of the work when the handler defers the settling, which may come later': async (stage) => {
    let settle: (() => Promise<void>) | undefined;
    await stage.serve(
      [{ limits: [ONE, { name: 'units', limit: tokenBucket({ capacity: 10_000, refillRate: 0 }), cost: 4000 }] }],
      ({ rateLimit }) => {
        rateLimit?.deferSettle();
        settle = async () => rateLimit?.settle({ units: 10 });
        return OK;
      },
    );
    assert.equal((await stage.get()).status, 200);
    await untilFree(stage);
    const units = () => stage.left(tokenBucket({ capacity: 10_000, refillRate: 0 }), 'units');
    assert.equal(await units(), 6000);
    await settle?.();
    assert.equal(await units(), 9990);
    await settle?.();
    assert.equal(await units(), 9990);
  },

  'frees the slot of a client that left before it was granted, when its handler has ended': async (stage) => {
    const doorman = new Doorman();
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
      (request) => (request.path === '/meanwhile' ? OK : doorman.handle(request)),
    );
    const leaving = stage.begin();
    await stage.until('the key is asked for', () => isAsked);
    leaving.leave();
    // By the time that these are answered, the server has heard of it.
    assert.deepEqual(await stage.statuses(3, '/meanwhile'), [200, 200, 200]);
    open();
    await stage.until('the slot is granted', () => stage.store.asked === 1);
    await doorman.holds(1);
    const isHeld = (await stage.left(ONE, 'concurrency', 'default', 'all')) === 0;
    assert.equal(isHeld, stage.tellsOfHandlers);
    doorman.release();
    await stage.until('the slot is free', async () => (await stage.left(ONE, 'concurrency', 'default', 'all')) === 1);
  },

  'frees the slots of requests that were sent one behind the other when their connection ends': async (stage) => {
    const doorman = new Doorman();
    await stage.serve([{ limit: THREE }], doorman.handle);
    const { leave } = stage.client.write('GET / HTTP/1.1\r\nHost: sluice\r\n\r\n'.repeat(3));
    await stage.until('every slot is taken', async () => (await free(stage, THREE)) === 0);
    leave();
    if (stage.tellsOfHandlers) {
      await doorman.holds(3);
      for (let i = 0; i < 3; i += 1) doorman.release();
    }
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
