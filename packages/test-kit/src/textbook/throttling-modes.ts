import { expect, it } from '@jest/globals';
import type { AdapterAnswer } from '@sluice/conformance';
import { concurrency, type Key, slidingWindow } from '@sluice/core';
import { byHeader, byIp, type HttpRequest } from '@sluice/core/http';
import fc from 'fast-check';
import { by, type Start } from './app.js';
import { type Say, times } from './say.js';

/** The most requests that were admitted in any window of this length. */
function mostInAnyWindow(startsMs: readonly number[], windowMs: number): number {
  return Math.max(
    ...startsMs.map((firstMs) => startsMs.filter((ms) => firstMs <= ms && ms < firstMs + windowMs).length),
  );
}

/** A user signs in with a header here. */
const byUser = ({ headers }: HttpRequest): Key => ['user', headers.authorization ?? 'nobody'];

/** Requests that last until they are ended. */
class Sessions {
  readonly #open: ((answer: AdapterAnswer) => void)[] = [];
  readonly handle = (): Promise<AdapterAnswer> => new Promise((resolve) => this.#open.push(resolve));

  /** Ends the one that has lasted longest. */
  end(): void {
    this.#open.shift()?.({ status: 200, body: {} });
  }

  endAll(): void {
    while (this.#open.length > 0) this.end();
  }
}

const as = (user: string, key = `key of ${user}`, ip = '203.0.113.7'): Say => ({
  headers: { authorization: user, 'api-key': key, 'x-forwarded-for': ip },
});

export function throttlingModeScenarios(start: Start): void {
  it('A26: hard throttling lets not one above the limit through in any window, whatever bursts come', async () => {
    const bursts = fc.array(fc.record({ quietMs: fc.oneof(fc.nat(1200), fc.nat(60)), count: fc.nat(12) }), {
      minLength: 5,
      maxLength: 12,
    });
    const sizes = fc.record({ limit: fc.integer({ min: 1, max: 30 }), buckets: fc.integer({ min: 1, max: 24 }) });
    await fc.assert(
      fc.asyncProperty(sizes, bursts, async ({ limit, buckets }, script) => {
        const app = await start({ limit: slidingWindow({ limit, buckets, window: '1s' }) });
        for (const { quietMs, count } of script) {
          app.clock.advance(quietMs);
          await app.atOnce(count);
        }
        expect(mostInAnyWindow(app.startsMs, 1000)).toBeLessThanOrEqual(limit);
        expect(app.answers.every(({ status }) => status === 200 || status === 429)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('A26: hard throttling lets the whole limit through, and again a window later', async () => {
    const app = await start({ limit: 20, window: '1s' });
    expect(await app.atOnce(30)).toEqual([...times(20, 200), ...times(10, 429)]);
    expect(await app.at(999).inTurn(1)).toEqual([429]);
    expect(await app.at(1000).atOnce(30)).toEqual([...times(20, 200), ...times(10, 429)]);
  });

  it('A27: soft throttling of 100 with a tenth lets exactly 110 through, and advertises 100', async () => {
    const app = await start({ limit: 100, window: '1m', tolerance: 0.1 });
    expect(await app.atOnce(100)).toEqual(times(100, 200));
    const tolerated = await app.ask();
    expect([tolerated.status, tolerated.headers['ratelimit-policy'], tolerated.headers.ratelimit]).toEqual([
      200,
      '"per-1m";q=100;w=60',
      expect.stringMatching(/^"per-1m";r=0;t=\d+$/),
    ]);
    expect(await app.atOnce(20)).toEqual([...times(9, 200), ...times(11, 429)]);
  });

  it('A28: elastic throttling lets requests past the limit while there is room, and is hard at once when there is none', async () => {
    const signal = { isCalm: true };
    const app = await start({ limit: 10, window: '1m', elastic: { upTo: 15, while: signal } });
    expect(await app.inTurn(12)).toEqual(times(12, 200));
    signal.isCalm = false;
    const refused = await app.ask();
    expect([refused.status, refused.headers['ratelimit-policy'], refused.headers.ratelimit]).toEqual([
      429,
      '"per-1m";q=10;w=60',
      expect.stringMatching(/^"per-1m";r=0;t=\d+$/),
    ]);
    signal.isCalm = true;
    expect(await app.inTurn(4)).toEqual([200, 200, 200, 429]);
  });

  it.each<[string, ((request: HttpRequest) => Key | undefined) | undefined, Say, Say, Say]>([
    ['user id', byUser, as('ann'), as('ann', 'another key', '203.0.113.8'), as('bob', 'key of ann')],
    ['API key', byHeader('api-key'), as('ann'), as('bob', 'key of ann', '203.0.113.8'), as('ann', 'another key')],
    ['IP', undefined, as('ann'), as('bob'), as('ann', 'key of ann', '203.0.113.8')],
  ])(
    'A29: a limit per %s counts what has it in common, and nothing else',
    async (_subject, keyGenerator, one, same, other) => {
      const app = await start((tools) => ({
        limit: 2,
        window: '1m',
        ...(keyGenerator && { keyGenerator: by(tools, keyGenerator) }),
      }));
      expect(await app.inTurn(1, one)).toEqual([200]);
      expect(await app.inTurn(2, same)).toEqual([200, 429]);
      expect(await app.inTurn(1, one)).toEqual([429]);
      expect(await app.inTurn(3, other)).toEqual([200, 200, 429]);
    },
  );

  it('A29: limits per user id, API key and IP beside each other refuse by name, and all or nothing is spent', async () => {
    const app = await start((tools) => ({
      limits: [
        { name: 'user', limit: 3, window: '1m', keyGenerator: by(tools, byUser) },
        { name: 'api-key', limit: 2, window: '1m', keyGenerator: by(tools, byHeader('api-key')) },
        { name: 'ip', limit: 4, window: '1m', keyGenerator: by(tools, byIp()) },
      ],
    }));
    expect(await app.inTurn(2, as('ann', 'first'))).toEqual([200, 200]);
    const violated = async (say: Say) => (await app.ask(say)).body['violated-policies'];
    expect(await violated(as('ann', 'first'))).toEqual(['api-key']);
    expect(await app.inTurn(1, as('ann', 'second'))).toEqual([200]);
    expect(await violated(as('ann', 'second'))).toEqual(['user']);
    expect(await violated(as('ann', 'first'))).toEqual(['user', 'api-key']);
    expect(await app.inTurn(1, as('bob', 'second'))).toEqual([200]);
    expect(await violated(as('bob', 'third'))).toEqual(['ip']);
    expect(await app.inTurn(3, as('bob', 'third', '203.0.113.8'))).toEqual([200, 200, 429]);
  });

  it('A29: a user has so many sessions at once, however long they last, and a new one when one ends', async () => {
    const sessions = new Sessions();
    const app = await start(
      (tools) => ({ limit: concurrency({ limit: 2, lease: '30s' }), keyGenerator: by(tools, byUser) }),
      sessions.handle,
    );
    const first = app.ask(as('ann'));
    const second = app.ask(as('ann'));
    await app.untilStarted(2);
    const { status, headers } = await app.ask(as('ann'));
    expect({ status, wait: headers['retry-after'] }).toEqual({ status: 429, wait: '1' });
    await app.pass(600_000, 5000);
    expect(await app.inTurn(1, as('ann'))).toEqual([429]);
    const another = app.ask(as('bob'));
    await app.untilStarted(3);

    sessions.end();
    await app.untilAnswered(3);
    const third = app.ask(as('ann'));
    await app.untilStarted(4);
    expect(await app.inTurn(1, as('ann'))).toEqual([429]);
    sessions.endAll();
    const ended = await Promise.all([first, second, third, another]);
    expect(ended.map((answer) => answer.status)).toEqual(times(4, 200));
  });

  it('A29: a session whose client goes away makes room for another when it has ended', async () => {
    const sessions = new Sessions();
    const app = await start(
      (tools) => ({ limit: concurrency({ limit: 1, lease: '30s' }), keyGenerator: by(tools, byUser) }),
      sessions.handle,
    );
    const leaving = app.begin(['Authorization: ann']);
    await app.untilStarted(1);
    expect(await app.inTurn(1, as('ann'))).toEqual([429]);
    leaving.destroy();
    sessions.end();
    await app.untilNobodySleeps();
    const staying = app.ask(as('ann'));
    await app.untilStarted(2);
    sessions.endAll();
    expect((await staying).status).toBe(200);
  });
}
