import { expect, it } from '@jest/globals';
import supertest from 'supertest';
import { rateLimit } from '../src/index.js';
import { onEveryExpress } from './every-express.js';

onEveryExpress((express) => {
  it.each([2, 0])(
    'extraHeaders add cookies and Vary to those of an earlier middleware, with %i requests a minute',
    async (limit) => {
      const app = express();
      app.use((_req, res, next) => {
        res.vary('Accept').cookie('seen', 'yes').set('X-Plan', 'none');
        next();
      });
      const extraHeaders = { 'Set-Cookie': 'plan=free', vary: 'X-Api-Key', 'X-Plan': 'free' };
      app.use(rateLimit({ limit, window: '1m', extraHeaders }));
      app.get('/', (_req, res) => void res.vary('Origin').cookie('last', 'yes').json('ok'));
      const { headers, status } = await supertest(app).get('/');
      const isAdmitted = status === 200;
      expect(headers.vary).toBe(isAdmitted ? 'Accept, X-Api-Key, Origin' : 'Accept, X-Api-Key');
      expect(headers['set-cookie']).toEqual([
        'seen=yes; Path=/',
        'plan=free',
        ...(isAdmitted ? ['last=yes; Path=/'] : []),
      ]);
      expect(headers['x-plan']).toBe('free');
    },
  );
});
