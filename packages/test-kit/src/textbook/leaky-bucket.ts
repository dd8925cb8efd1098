import { expect, it } from '@jest/globals';
import { leakyBucket } from '@sluice/core';
import { byHeader } from '@sluice/core/http';
import { by, type Start } from './app.js';
import { from, type Say, times, withKey } from './say.js';

export function leakyBucketScenarios(start: Start): void {
  it('A9: with capacity 3, three requests at once are all answered 200', async () => {
    const app = await start({ limit: leakyBucket({ capacity: 3, leakRate: 1 }) });
    const statuses = app.atOnce(3);
    await app.clock.untilSleeping(2);
    await app.untilAnswered(1);
    await app.pass(2000);
    expect(await statuses).toEqual([200, 200, 200]);
    expect(app.answers.map(({ afterMs }) => afterMs)).toEqual([0, 1000, 2000]);
  });

  it('A10: with capacity 2 and one a second, the third of three at once is refused at once', async () => {
    const app = await start({ limit: leakyBucket({ capacity: 2, leakRate: 1 }) });
    const statuses = app.atOnce(3);
    await app.clock.untilSleeping(1);
    await app.untilAnswered(2);
    expect(app.answers.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(app.afterMs).toBe(0);
    await app.pass(999, 1);
    expect(app.startsMs).toEqual([0]);
    await app.pass(1, 1);
    expect(await statuses).toEqual([200, 200, 429]);
    expect(app.startsMs).toEqual([0, 1000]);
  });

  it('A11: two addresses have queues of their own', async () => {
    const app = await start({ limit: leakyBucket({ capacity: 2, leakRate: 1 }) });
    const [one, other] = [app.atOnce(3, from('203.0.113.7')), app.atOnce(3, from('203.0.113.8'))];
    await app.clock.untilSleeping(2);
    await app.untilAnswered(4);
    await app.pass(1000);
    expect(await one).toEqual([200, 200, 429]);
    expect(await other).toEqual([200, 200, 429]);
    expect(app.startsMs).toEqual([0, 0, 1000, 1000]);
  });

  it.each([
    ['A12', 5, 200],
    ['A13', 2, 500],
  ])(
    '%s: at a leak rate of %d a second, the handlers of five at once start %d ms apart',
    async (_row, leakRate, apartMs) => {
      const app = await start({ limit: leakyBucket({ capacity: 5, leakRate }) });
      const statuses = app.atOnce(5);
      await app.clock.untilSleeping(4);
      await app.untilStarted(1);
      await app.pass(4 * apartMs);
      expect(await statuses).toEqual(times(5, 200));
      expect(app.startsMs).toEqual([0, 1, 2, 3, 4].map((index) => index * apartMs));
    },
  );

  it('A14: with capacity 1 for each API key, the second of two at once is refused and another key is not', async () => {
    const limit = leakyBucket({ capacity: 1, leakRate: 1 });
    const app = await start((tools) => ({ limit, keyGenerator: by(tools, byHeader('api-key')) }));
    expect(await app.atOnce(2, withKey('one'))).toEqual([200, 429]);
    expect(await app.inTurn(1, withKey('two'))).toEqual([200]);
  });

  it('A15: onLimitReached writes a body of its own, with the path of the request', async () => {
    const app = await start((tools) => ({
      limit: leakyBucket({ capacity: 1, leakRate: 1 }),
      onLimitReached: (...args) => {
        const [path] = tools.requestOf(args).url.split('?');
        return tools.answer(args, { status: 429, body: { busy: path } });
      },
    }));
    await app.ask();
    const { status, headers, body } = await app.ask({ path: '/reports/7?all' });
    expect({ status, body }).toEqual({ status: 429, body: { busy: '/reports/7' } });
    // Hono does not name the character set of JSON.
    const json = expect.stringMatching(/^application\/json\b/);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': json });
  });

  it('A16: GET, POST, PUT, DELETE and PATCH share one queue', async () => {
    const app = await start({ limit: leakyBucket({ capacity: 5, leakRate: 10 }) });
    const methods: NonNullable<Say['method']>[] = ['get', 'post', 'put', 'delete', 'patch'];
    const answers = Promise.all(methods.map((method) => app.ask({ method })));
    await app.clock.untilSleeping(4);
    expect(await app.inTurn(1)).toEqual([429]);
    await app.pass(400);
    expect((await answers).map(({ status }) => status)).toEqual(times(5, 200));
    expect(app.startsMs).toEqual([0, 100, 200, 300, 400]);
  });

  it('A17: a client that goes away while it waits never reaches the handler, and its place stays empty', async () => {
    const app = await start({ limit: leakyBucket({ capacity: 3, leakRate: 1 }) });
    await app.ask();
    const leaving = app.begin();
    await app.clock.untilSleeping(1);
    leaving.destroy();
    await app.untilNobodySleeps();
    const staying = app.ask();
    await app.clock.untilSleeping(1);
    await app.pass(5000);
    expect((await staying).status).toBe(200);
    expect(app.startsMs).toEqual([0, 2000]);
  });
}
