import { describe, expect, it } from '@jest/globals';
import { ANN, BOB, drive, type StartApi, statuses, times } from '../drive.js';

export function login(start: StartApi): void {
  describe('POST /login', () => {
    it('refuses the sixth attempt after five wrong passwords, the right one included, for 15 minutes', async () => {
      const { clock, login } = await drive(start);
      expect(await statuses(6, () => login('ann', 'guess'))).toEqual([...times(5, 401), 429]);
      const refused = await login('ann', 'wonderland');
      expect(refused.status).toBe(429);
      expect(refused.body['violated-policies']).toEqual(['login']);
      expect(refused.headers['retry-after']).toBe('900');
      clock.advance('15m');
      expect((await login('ann', 'wonderland')).status).toBe(200);
    });

    it('does not count successful logins', async () => {
      const { login } = await drive(start);
      expect(await statuses(20, () => login('ann', 'wonderland'))).toEqual(times(20, 200));
      expect(await statuses(6, () => login('ann', 'guess'))).toEqual([...times(5, 401), 429]);
    });

    it('counts an address and a user name together, in whatever case the name is written', async () => {
      const { login } = await drive(start);
      await statuses(3, () => login('ann', 'guess', ANN));
      expect(await statuses(3, () => login('Ann', 'guess', ANN))).toEqual([401, 401, 429]);
      expect((await login('bob', 'guess', ANN)).status).toBe(401);
      expect((await login('ann', 'guess', BOB)).status).toBe(401);
    });

    it('counts attempts without a user name by their address', async () => {
      const { login } = await drive(start);
      expect(await statuses(6, () => login(undefined, 'guess'))).toEqual([...times(5, 401), 429]);
    });

    it('admits no user without a password, and no unknown user', async () => {
      const { login } = await drive(start);
      expect((await login('ann', undefined)).status).toBe(401);
      expect((await login('zoe', undefined)).status).toBe(401);
    });

    it('responds to an unreadable body with 400 and a problem', async () => {
      const { post } = await drive(start);
      const answer = await post('/login', '{"username":');
      expect(answer.status).toBe(400);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(answer.body).toMatchObject({ title: 'Bad Request', status: 400 });
    });

    it('reads no more than a kilobyte', async () => {
      const { login } = await drive(start);
      expect((await login('ann', 'x'.repeat(1024))).status).toBe(413);
    });
  });
}
