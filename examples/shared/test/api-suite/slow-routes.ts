import { describe, expect, it } from '@jest/globals';
import type { ManualClock } from '@sluice/core/testing';
import { ANN, BOB, drive, type StartApi } from '../drive.js';

/** Sends at once. Supertest alone would wait for `then`. */
const begin = <T>(sent: PromiseLike<T>): Promise<T> => Promise.resolve(sent.then((answer) => answer));

export function slowRoutes(start: StartApi): void {
  describe('GET /report', () => {
    it('starts reports half a second apart, for all clients', async () => {
      const { clock, get } = await drive(start);
      const startMs = clock.now();
      const first = await get('/report');
      const waiting = [begin(get('/report', ANN)), begin(get('/report', BOB))];
      await clock.untilSleeping(2);
      clock.advance('500ms');
      const second = await Promise.race(waiting);
      clock.advance('500ms');
      await Promise.all(waiting);
      expect([first, second].map(({ body }) => Date.parse(body.startedAt) - startMs)).toEqual([0, 500]);
    });

    it('refuses at once if the queue is full', async () => {
      const { clock, get } = await drive(start);
      await get('/report');
      const waiting = [1, 2, 3, 4].map(() => begin(get('/report')));
      await clock.untilSleeping(4);
      const refused = await get('/report');
      expect(refused.status).toBe(429);
      expect(refused.body['violated-policies']).toEqual(['report']);
      clock.advance('2s');
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    });
  });

  describe('GET /export', () => {
    it('allows one address two open exports, and frees the slot when one is sent', async () => {
      const { clock, get } = await drive(start);
      const open = [begin(get('/export')), begin(get('/export'))];
      // Two exports between rows, and the renewal of their leases.
      await clock.untilSleeping(3);
      const refused = await get('/export');
      expect(refused.status).toBe(429);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.headers['ratelimit-policy']).toContain('"export";q=2;qu="concurrent-requests"');

      const answers = await finish(clock, Promise.all(open));
      expect(answers.map(({ text }) => text.split('\n').length)).toEqual([12, 12]);
      expect(answers[0]?.headers['content-type']).toBe('text/csv; charset=utf-8');
      const again = begin(get('/export'));
      expect((await finish(clock, again)).status).toBe(200);
    });

    it('counts addresses separately', async () => {
      const { clock, get } = await drive(start);
      const open = [begin(get('/export', ANN)), begin(get('/export', ANN)), begin(get('/export', BOB))];
      const answers = await finish(clock, Promise.all(open));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    });
  });
}

/** Moves time forward while the work sleeps. */
async function finish<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    clock.advance('200ms');
    await new Promise(setImmediate);
  }
  return done;
}
