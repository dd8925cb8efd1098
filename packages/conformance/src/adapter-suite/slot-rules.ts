import { concurrency, SluiceError, slidingWindow, tokenBucket } from '@sluice/core';
import * as assert from '../assert.js';
import type { AdapterAnswer, AdapterRequest } from './adapter-app.js';
import { type AdapterFixture, OK, type Rules } from './adapter-fixture.js';
import { limitFields, ownAnswer, quotaExceeded } from './answer-fields.js';
import { HeldHandler } from './held-handler.js';
import { nextTurn } from './next-turn.js';
import { StreamedBody } from './streamed-body.js';

const ONE = concurrency({ limit: 1, lease: '30s' });
const TWO = concurrency({ limit: 2, lease: '30s' });
const THREE = concurrency({ limit: 3, lease: '30s' });

const free = (fixture: AdapterFixture, limit = ONE): Promise<number> => fixture.left(limit, 'concurrency');

const untilFree = (fixture: AdapterFixture, count = 1, limit = ONE): Promise<void> =>
  fixture.until('slots are free', async () => (await free(fixture, limit)) === count);

const FIVE = slidingWindow({ limit: 5, window: '1m' });

/** A body of one part. */
function rows(): ReadableStream<Uint8Array> {
  const body = new StreamedBody('rows');
  body.end();
  return body.stream;
}

/** Returns the code and the path of the error that a call throws. */
function mistakeIn(call: () => unknown): readonly unknown[] {
  try {
    call();
  } catch (error) {
    return error instanceof SluiceError ? [error.code, error.path] : [error];
  }
  return assert.fail('must throw');
}

/** Handlers that run until some more clients have come, and clients that leave as soon as their handler runs. */
class Crowd {
  /** The largest number of handlers that ran at the same time. */
  most = 0;
  #came = 0;
  #isOver = false;
  #begun = 0;
  #atWork = 0;

  readonly handle = async (_request: AdapterRequest): Promise<AdapterAnswer> => {
    this.#begun += 1;
    this.#atWork += 1;
    this.most = Math.max(this.most, this.#atWork);
    const last = this.#came + 3;
    while (this.#came < last && !this.#isOver) await nextTurn();
    this.#atWork -= 1;
    return OK;
  };

  /** This many clients come, one after the other, and leave while their handlers run. */
  async come(fixture: AdapterFixture, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.#came += 1;
      const begun = this.#begun;
      let isAnswered = false;
      const client = fixture.begin();
      const answered = (): void => {
        isAnswered = true;
      };
      client.answer.then(answered, answered);
      await fixture.until('it is handled or refused', () => this.#begun > begun || isAnswered);
      client.leave();
    }
    this.#isOver = true;
    await fixture.until('nobody is at work', () => this.#atWork === 0);
  }
}

/** Serves these policies. A client has left while its handler was running, and that handler is still held. */
async function leftByClient(
  fixture: AdapterFixture,
  policies: Parameters<AdapterFixture['serve']>[0],
): Promise<HeldHandler> {
  const handler = new HeldHandler();
  await fixture.serve(policies, handler.handle);
  const leaving = fixture.begin();
  await handler.holds(1);
  leaving.leave();
  return handler;
}

/** A slot is held until its request ends, in any way. */
export const slotRules: Rules = {
  'holds a slot while the handler runs, refuses requests without a slot, and frees it at the end': async (fixture) => {
    const handler = new HeldHandler();
    await fixture.serve([{ limit: ONE }], handler.handle);
    const first = fixture.get();
    await handler.holds(1);
    const refused = await fixture.get();
    assert.deepEqual(ownAnswer(refused), quotaExceeded(['concurrency'], 1));
    assert.deepEqual(limitFields(refused), {
      'ratelimit-policy': '"concurrency";q=1;qu="concurrent-requests"',
      ratelimit: '"concurrency";r=0;t=1',
      'retry-after': '1',
    });
    handler.release();
    assert.equal((await first).status, 200);
    await untilFree(fixture);
    const third = fixture.get();
    await handler.holds(1);
    assert.equal(await free(fixture), 0);
    handler.release();
    assert.equal((await third).status, 200);
    await untilFree(fixture);
  },

  'frees the slot if the handler fails': async (fixture) => {
    await fixture.serve([{ limit: ONE }], ({ path }) => {
      if (path === '/throws') throw new Error('the handler is broken');
      return Promise.reject(new Error('the handler is broken'));
    });
    for (const path of ['/throws', '/rejects']) {
      assert.equal((await fixture.get(path)).status, 500);
      await untilFree(fixture);
    }
  },

  'frees the slot once when the client leaves, if the end of the handler is not known': {
    handlerEnds: false,
    perform: async (fixture) => {
      const handler = await leftByClient(fixture, [{ limit: ONE }]);
      await untilFree(fixture);
      const next = fixture.get();
      await handler.holds(2);
      handler.release();
      // The response to the client that left ends first, and does not free the other slot.
      assert.equal((await fixture.get()).status, 429);
      handler.release();
      assert.equal((await next).status, 200);
      await untilFree(fixture);
    },
  },

  'keeps the slot of a client that left until its handler has ended, if that is known, and frees it once': {
    handlerEnds: true,
    perform: async (fixture) => {
      const handler = await leftByClient(fixture, [{ limit: ONE }, { name: 'all', limit: 100, window: '1m' }]);
      await fixture.clock.untilSleeping(2);
      assert.equal((await fixture.get()).status, 429);
      handler.release();
      await untilFree(fixture);
      const next = fixture.get();
      await handler.holds(1);
      assert.equal((await fixture.get()).status, 429);
      handler.release();
      assert.equal((await next).status, 200);
      await untilFree(fixture);
    },
  },

  'never runs more handlers than there are slots, even if their clients leave': async (fixture) => {
    const crowd = new Crowd();
    await fixture.serve([{ limit: TWO }], (request) => {
      const work = crowd.handle(request);
      // If the adapter does not know when handlers end, the handler has to say it.
      if (!fixture.reportsHandlers) request.rateLimit?.releaseAfter(work);
      return work;
    });
    await crowd.come(fixture, 40);
    assert.equal(crowd.most, 2);
    await untilFree(fixture, 2, TWO);
  },

  'keeps a slot until the promise given to releaseAfter has settled, in every policy of the request': async (
    fixture,
  ) => {
    const [work, more] = [new HeldHandler(), new HeldHandler()];
    await fixture.serve(
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
    assert.equal((await fixture.get()).status, 200);
    await fixture.clock.untilSleeping(2);
    assert.equal(await fixture.left(ONE, 'outer', 'outer'), 0);
    work.release();
    assert.equal((await fixture.get()).status, 429);
    more.release();
    await fixture.until('the slot is free', async () => (await fixture.left(ONE, 'outer', 'outer')) === 1);
    assert.equal(await fixture.left(FIVE, 'inner', 'inner'), 4);
  },

  'keeps a slot for one lease after the response, whatever the promise given to releaseAfter does': async (fixture) => {
    await fixture.serve([{ limit: ONE }], ({ rateLimit }) => {
      rateLimit?.releaseAfter(new Promise(() => {}));
      return OK;
    });
    assert.equal((await fixture.get()).status, 200);
    for (const elapsed of [10, 20]) {
      // The end, and the next renewal.
      await fixture.clock.untilSleeping(2);
      fixture.clock.advance('10s');
      assert.equal((await fixture.get()).status, 429, `after ${elapsed} s`);
    }
    await fixture.clock.untilSleeping(2);
    fixture.clock.advance('10s');
    await untilFree(fixture);
  },

  'keeps a slot for one lease after the response, whatever the handler does': {
    handlerEnds: true,
    perform: async (fixture) => {
      await leftByClient(fixture, [{ limit: ONE }]);
      await fixture.clock.untilSleeping(2);
      fixture.clock.advance('29s');
      assert.equal((await fixture.get()).status, 429);
      await fixture.clock.untilSleeping(2);
      fixture.clock.advance('1s');
      await untilFree(fixture);
    },
  },

  'frees the slot of a handler that waits for its response behind another one, when the client has left': async (
    fixture,
  ) => {
    const handler = new HeldHandler();
    await fixture.serve([{ limit: TWO }], (request) =>
      request.path === '/first' ? handler.handle(request) : { status: 200, body: rows() },
    );
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: sluice\r\n\r\n`;
    const pipelined = fixture.client.write(get('/first') + get('/second'));
    await fixture.until('both are handled', () => fixture.handled.length === 2);
    pipelined.leave();
    await untilFree(fixture, fixture.reportsHandlers ? 1 : 2, TWO);
    handler.release();
    await untilFree(fixture, 2, TWO);
  },

  'refuses a value that is no promise in releaseAfter': async (fixture) => {
    await fixture.serve([{ limit: ONE }], ({ rateLimit }) => {
      const work = 'work' as unknown as Promise<unknown>;
      assert.deepEqual(
        mistakeIn(() => rateLimit?.releaseAfter(work)),
        ['SLUICE_OPTION', 'releaseAfter'],
      );
      return OK;
    });
    assert.equal((await fixture.get()).status, 200);
    await untilFree(fixture);
  },

  'frees the slot at the end of the work if the handler defers the settlement': async (fixture) => {
    let settle: (() => Promise<void>) | undefined;
    await fixture.serve(
      [{ limits: [ONE, { name: 'units', limit: tokenBucket({ capacity: 10_000, refillRate: 0 }), cost: 4000 }] }],
      ({ rateLimit }) => {
        rateLimit?.deferSettle();
        settle = async () => rateLimit?.settle({ units: 10 });
        return OK;
      },
    );
    assert.equal((await fixture.get()).status, 200);
    await untilFree(fixture);
    const units = () => fixture.left(tokenBucket({ capacity: 10_000, refillRate: 0 }), 'units');
    assert.equal(await units(), 6000);
    await settle?.();
    assert.equal(await units(), 9990);
    await settle?.();
    assert.equal(await units(), 9990);
  },

  'keeps the slot after the response if the handler has taken it over, until it is settled': async (fixture) => {
    let settle: (() => Promise<void>) | undefined;
    await fixture.serve([{ limit: ONE }], ({ rateLimit }) => {
      rateLimit?.deferSettle({ slots: true });
      settle = async () => rateLimit?.settle();
      return OK;
    });
    assert.equal((await fixture.get()).status, 200);
    // The slot of a request that has ended is free by then, or when its lease ends.
    for (let i = 0; i < 3; i += 1) assert.equal((await fixture.get()).status, 429);
    await settle?.();
    await untilFree(fixture);
  },

  'frees the slot of a client that left before it was granted, when its handler has ended': async (fixture) => {
    const handler = new HeldHandler();
    let open = (): void => {};
    const opened = new Promise<string>((resolve) => {
      // The connection has no address any more at that time.
      open = () => resolve('all');
    });
    let isAsked = false;
    const keyGenerator = () => {
      isAsked = true;
      return opened;
    };
    await fixture.serve(
      (tools) => [{ limit: ONE, keyGenerator, skip: (...args) => tools.requestOf(args).url === '/meanwhile' }],
      (request) => (request.path === '/meanwhile' ? OK : handler.handle(request)),
    );
    const leaving = fixture.begin();
    await fixture.until('the key is asked for', () => isAsked);
    leaving.leave();
    // When these have their responses, the server has noticed it.
    assert.deepEqual(await fixture.statuses(3, '/meanwhile'), [200, 200, 200]);
    open();
    await fixture.until('the slot is granted', () => fixture.store.asked === 1);
    await handler.holds(1);
    const isHeld = (await fixture.left(ONE, 'concurrency', 'default', 'all')) === 0;
    assert.equal(isHeld, fixture.reportsHandlers);
    handler.release();
    await fixture.until(
      'the slot is free',
      async () => (await fixture.left(ONE, 'concurrency', 'default', 'all')) === 1,
    );
  },

  'frees the slots of pipelined requests when their connection ends': async (fixture) => {
    const handler = new HeldHandler();
    await fixture.serve([{ limit: THREE }], handler.handle);
    const { leave } = fixture.client.write('GET / HTTP/1.1\r\nHost: sluice\r\n\r\n'.repeat(3));
    await fixture.until('every slot is taken', async () => (await free(fixture, THREE)) === 0);
    leave();
    if (fixture.reportsHandlers) {
      await handler.holds(3);
      for (let i = 0; i < 3; i += 1) handler.release();
    }
    await untilFree(fixture, 3, THREE);
  },

  'frees the slot of every request on a connection that is kept alive': async (fixture) => {
    await fixture.serve([{ limit: ONE }]);
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await fixture.get()).status, 200);
      await untilFree(fixture);
    }
  },

  'frees the slot when the handler settles': async (fixture) => {
    const handler = new HeldHandler();
    await fixture.serve([{ limit: ONE }], async (request) => {
      await request.rateLimit?.settle();
      return handler.handle(request);
    });
    const answers = [fixture.get(), fixture.get()];
    await handler.holds(2);
    handler.release();
    handler.release();
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
    assert.equal(await free(fixture), 1);
  },

  'keeps the slot of a handler that outlasts the lease': async (fixture) => {
    const handler = new HeldHandler();
    await fixture.serve([{ limit: ONE }], handler.handle);
    const answer = fixture.get();
    await handler.holds(1);
    for (let i = 0; i < 5; i += 1) {
      await fixture.clock.untilSleeping(1);
      fixture.clock.advance('10s');
    }
    await fixture.clock.untilSleeping(1);
    assert.equal((await fixture.get()).status, 429);
    handler.release();
    assert.equal((await answer).status, 200);
    await untilFree(fixture);
  },

  'takes no slot if another limit refuses the request': async (fixture) => {
    await fixture.serve([{ limits: [THREE, slidingWindow({ limit: 1, window: '1m' })] }]);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
    await untilFree(fixture, 3, THREE);
  },
};
