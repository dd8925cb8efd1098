import { describe, expect, it } from '@jest/globals';
import { ANN, BOB, drive, type StartApi, statuses, times } from '../drive.js';

const FREE = 'demo-free-key';
const PRO = 'demo-pro-key';

export function quotes(start: StartApi): void {
  describe('GET /v1/quotes', () => {
    it('requires a known key, and counts attempts by address', async () => {
      const { get, quotes } = await drive(start);
      expect((await get('/v1/quotes')).status).toBe(401);
      const refused = await quotes('constructor');
      expect(refused.status).toBe(401);
      expect(refused.headers['content-type']).toBe('application/problem+json');
      expect(refused.body.detail).toBe('Send a valid key in X-Api-Key.');
      expect(refused.headers.ratelimit).toMatch(/^"everywhere";r=298;t=\d+$/);
    });

    it('allows a free customer bursts of 5, and 2 a second after that', async () => {
      const { clock, quotes } = await drive(start);
      expect(await statuses(6, () => quotes(FREE))).toEqual([...times(5, 200), 429]);
      const refused = await quotes(FREE);
      expect(refused.body['violated-policies']).toEqual(['burst']);
      expect(refused.headers['retry-after']).toBe('1');
      clock.advance('1s');
      expect(await statuses(3, () => quotes(FREE))).toEqual([200, 200, 429]);
    });

    it('allows a pro customer bursts of 20', async () => {
      const { quotes } = await drive(start);
      expect(await statuses(21, () => quotes(PRO))).toEqual([...times(20, 200), 429]);
    });

    it('applies the minute and the burst, and a refusal spends nothing on the day', async () => {
      const { clock, quotes, quota } = await drive(start);
      for (let second = 0; second < 30; second += 1) {
        expect(await statuses(2, () => quotes(FREE))).toEqual([200, 200]);
        clock.advance('1s');
      }
      const refused = await quotes(FREE);
      expect(refused.status).toBe(429);
      expect(refused.body['violated-policies']).toEqual(['minute']);
      expect((await quota(FREE)).body.limits).toMatchObject([
        { name: 'burst', remaining: 5 },
        { name: 'minute', remaining: 0 },
        { name: 'day', remaining: 940 },
      ]);
    });

    it("begins the day anew at midnight in the contract's time zone", async () => {
      const { clock, quotes, quota } = await drive(start);
      await quotes(FREE);
      const [, , day] = (await quota(FREE)).body.limits;
      expect(day).toMatchObject({ remaining: 999, resetAfterMs: Date.UTC(2026, 0, 1, 23) - clock.now() });
      clock.advance(day.resetAfterMs);
      expect((await quota(FREE)).body.limits[2].remaining).toBe(1000);
    });

    it('counts a customer from all addresses together, and customers separately', async () => {
      const { quotes } = await drive(start);
      expect(await statuses(5, () => quotes(FREE, ANN))).toEqual(times(5, 200));
      expect((await quotes(FREE, BOB)).status).toBe(429);
      expect((await quotes(PRO, ANN)).status).toBe(200);
    });

    it('states every limit in the header fields, and the tightest in the older ones', async () => {
      const { quotes } = await drive(start);
      const { headers } = await quotes(FREE);
      expect(headers['ratelimit-policy']).toBe(
        '"everywhere";q=300;w=60,"burst";q=5;w=3,"minute";q=60;w=60,"day";q=1000;w=86400',
      );
      expect(headers.ratelimit).toMatch(
        /^"everywhere";r=299;t=\d+,"burst";r=4;t=2,"minute";r=59;t=\d+,"day";r=999;t=\d+$/,
      );
      expect(headers['x-ratelimit-limit']).toBe('5');
    });
  });

  describe('GET /v1/quota', () => {
    it('shows the remaining units, and spends nothing', async () => {
      const { quotes, quota } = await drive(start);
      await quotes(PRO);
      const shown = [await quota(PRO), await quota(PRO)].map(({ body }) => body);
      expect(shown[0]).toEqual(shown[1]);
      expect(shown[0]).toMatchObject({
        plan: 'pro',
        limits: [
          { name: 'burst', limit: 20, remaining: 19 },
          { name: 'minute', limit: 240, remaining: 239 },
          { name: 'day', limit: 50_000, remaining: 49_999 },
        ],
      });
    });
  });
}
