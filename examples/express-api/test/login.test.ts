import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createApp } from '../src/app.js';
import { ANN, BOB, drive, statuses, times } from './drive.js';

describe('POST /login', () => {
  it('refuses the sixth attempt after five wrong passwords, the right one included, for 15 minutes', async () => {
    const { clock, login } = drive();
    expect(await statuses(6, () => login('ann', 'guess'))).toEqual([...times(5, 401), 429]);
    const refused = await login('ann', 'wonderland');
    expect(refused.status).toBe(429);
    expect(refused.body['violated-policies']).toEqual(['login']);
    expect(refused.headers['retry-after']).toBe('900');
    clock.advance('15m');
    expect((await login('ann', 'wonderland')).status).toBe(200);
  });

  it('does not count signing in', async () => {
    const { login } = drive();
    expect(await statuses(20, () => login('ann', 'wonderland'))).toEqual(times(20, 200));
    expect(await statuses(6, () => login('ann', 'guess'))).toEqual([...times(5, 401), 429]);
  });

  it('counts an address and a user name together, in whatever case the name is written', async () => {
    const { login } = drive();
    await statuses(3, () => login('ann', 'guess', ANN));
    expect(await statuses(3, () => login('Ann', 'guess', ANN))).toEqual([401, 401, 429]);
    expect((await login('bob', 'guess', ANN)).status).toBe(401);
    expect((await login('ann', 'guess', BOB)).status).toBe(401);
  });

  it('counts attempts without a user name by their address', async () => {
    const { login } = drive();
    expect(await statuses(6, () => login(undefined as unknown as string, 'guess'))).toEqual([...times(5, 401), 429]);
  });

  it('answers a body that cannot be read with 400, as a problem', async () => {
    const answer = await request(createApp()).post('/login').type('json').send('{"username":');
    expect(answer.status).toBe(400);
    expect(answer.type).toBe('application/problem+json');
  });
});
