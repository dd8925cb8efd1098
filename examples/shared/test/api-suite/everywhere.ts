import { describe, expect, it } from '@jest/globals';
import { ANN, BOB, drive, type StartApi, statuses, times } from '../drive.js';

export function everywhere(start: StartApi): void {
  describe('The limit of the whole API', () => {
    it('admits 300 requests a minute from one address and tells how many are left', async () => {
      const { clock, get } = await drive(start);
      const first = await get('/');
      expect(first.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'ratelimit-policy': '"everywhere";q=300;w=60',
        'x-ratelimit-limit': '300',
        'x-ratelimit-remaining': '299',
      });
      expect(first.body).toEqual({ hello: 'world' });
      expect(first.headers['x-powered-by']).toBeUndefined();
      expect(first.headers.ratelimit).toMatch(/^"everywhere";r=299;t=\d+$/);
      expect(await statuses(299, () => get('/'))).toEqual(times(299, 200));

      const refused = await get('/');
      expect(refused.status).toBe(429);
      expect(refused.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'cache-control': 'no-store',
        'ratelimit-policy': '"everywhere";q=300;w=60',
      });
      expect(refused.body).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Quota Exceeded',
        status: 429,
        detail: `Try again in ${refused.headers['retry-after']} seconds.`,
        'violated-policies': ['everywhere'],
      });
      expect((await get('/', BOB)).status).toBe(200);

      clock.advance(Number(refused.headers['retry-after']) * 1000);
      expect((await get('/')).status).toBe(200);
    });

    it('counts requests without a route', async () => {
      const { get } = await drive(start);
      const missing = await get('/nowhere?at=all');
      expect(missing.status).toBe(404);
      expect(missing.body).toMatchObject({ title: 'Not Found', detail: 'There is no GET /nowhere.' });
      expect(missing.headers['x-ratelimit-remaining']).toBe('299');
    });

    it('never counts or refuses /health', async () => {
      const { get } = await drive(start);
      expect(await statuses(20, () => get('/health'))).toEqual(times(20, 200));
      const counted = await get('/');
      expect(counted.headers['x-ratelimit-remaining']).toBe('299');
      await statuses(300, () => get('/'));
      const health = await get('/health', ANN);
      expect(health.status).toBe(200);
      expect(Object.keys(health.headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
    });
  });
}
