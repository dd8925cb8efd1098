import { beforeEach, expect, it } from '@jest/globals';
import type { Express } from 'express';
import request from 'supertest';
import { createApp } from '../src/fail2ban.js';
import { describeOnEachStore } from './each-store.js';
import { statuses, times } from './statuses.js';

const MINUTE_MS = 60_000;

describeOnEachStore((stage) => {
  let app: Express;

  beforeEach(() => {
    app = createApp(stage.store);
  });

  const logIn = (password: string, ip = '203.0.113.7') =>
    request(app).post('/login').set('X-Forwarded-For', ip).send({ password });
  const guess = (ip?: string) => logIn('123456', ip);

  it('fail2ban: five failures in ten minutes pass, and the sixth attempt is banned, also with the right password', async () => {
    expect(await statuses(6, guess)).toEqual([...times(5, 401), 403]);
    expect((await logIn('open sesame')).status).toBe(403);
    expect((await guess('203.0.113.8')).status).toBe(401);
  });

  it('fail2ban: logins that succeed are not counted', async () => {
    expect(await statuses(20, () => logIn('open sesame'))).toEqual(times(20, 200));
  });

  it('fail2ban: each ban is twice as long, up to a day', async () => {
    for (const minutes of [10, 20, 40, 80, 160, 320, 640, 1280, 1440, 1440]) {
      expect(await statuses(6, guess)).toEqual([...times(5, 401), 403]);
      stage.clock.advance(minutes * MINUTE_MS - 1);
      expect((await guess()).status).toBe(403);
      // The units of the last window count a little longer than the first block.
      stage.clock.advance(minutes === 10 ? MINUTE_MS : 1);
    }
  });

  it('fail2ban: addresses on the list are never banned', async () => {
    expect(await statuses(10, () => guess('10.1.2.3'))).toEqual(times(10, 401));
  });

  it('fail2ban: an address is banned, listed and unbanned by hand', async () => {
    await request(app).put('/jail/203.0.113.9').expect(204);
    expect((await logIn('open sesame', '203.0.113.9')).status).toBe(403);
    const { body } = await request(app).get('/jail');
    expect(body).toMatchObject([{ by: 'admin', reason: 'by hand' }]);
    await request(app).delete('/jail/203.0.113.9').expect(204);
    await request(app).delete('/jail/203.0.113.9').expect(404);
    expect((await logIn('open sesame', '203.0.113.9')).status).toBe(200);
  });
});
