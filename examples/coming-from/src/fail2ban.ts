import { ipKey, rateLimit, type Store, slidingWindow } from '@sluice/express';
import express, { type Express } from 'express';

/**
 * The service behind this jail, whose filter found failed logins in the log:
 *
 * ```ini
 * [DEFAULT]
 * ignoreip = 10.0.0.0/8
 * [login]
 * maxretry = 5
 * findtime = 10m
 * bantime = 10m
 * bantime.increment = true
 * bantime.maxtime = 1d
 * ```
 */
export function createApp(store: Store): Express {
  const app = express();
  app.set('trust proxy', 'loopback');
  app.use(express.json());

  const jail = rateLimit({
    name: 'login',
    limit: slidingWindow({
      limit: 5, // maxretry
      window: '10m', // findtime
      blockDuration: { first: '10m', factor: 2, max: '1d' }, // bantime, bantime.increment, bantime.maxtime
    }),
    skipSuccessfulRequests: true, // counts what their filter finds: failures
    allowList: ['10.0.0.0/8'], // ignoreip
    statusCode: 403,
    store,
  });

  app.post('/login', jail, (req, res) => {
    res.status(req.body.password === 'open sesame' ? 200 : 401).end();
  });

  // fail2ban-client: protect these routes as the socket of the daemon is protected.
  app.put('/jail/:ip', async (req, res) => {
    await jail.block(ipKey(req.params.ip), '1d', { reason: 'by hand', reveal: true }); // set login banip
    res.sendStatus(204);
  });
  app.delete('/jail/:ip', async (req, res) => {
    res.sendStatus((await jail.unblock(ipKey(req.params.ip))) ? 204 : 404); // set login unbanip
  });
  app.get('/jail', async (_req, res) => {
    res.json((await jail.blocked()).entries); // status login
  });
  return app;
}
