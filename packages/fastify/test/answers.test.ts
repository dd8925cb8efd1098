import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { type RateLimitOptions, rateLimit } from '../src/index.js';
import { limitedApp, minute } from './limited-app.js';

const onLimitReached = (answer: NonNullable<RateLimitOptions['onLimitReached']>) => ({
  ...minute(0),
  onLimitReached: answer,
});

it.each<[how: string, options: RateLimitOptions]>([
  ['sent', onLimitReached((_request, reply) => void reply.code(429).send('mine'))],
  ['sent and returned', onLimitReached((_request, reply) => reply.code(429).send('mine'))],
  ['sent later', onLimitReached(async (_request, reply) => turnOfTheLoop().then(() => reply.code(429).send('mine')))],
  [
    'hijacked',
    onLimitReached((_request, reply) => {
      reply.hijack();
      setImmediate(() => reply.raw.writeHead(429).end('mine'));
    }),
  ],
  ['written by Node’s own response', onLimitReached((_request, reply) => void reply.raw.writeHead(429).end('mine'))],
])('The response that onLimitReached has %s is all that is sent, even if onSend is slow', async (_, options) => {
  const app = await limitedApp(options);
  let sent = 0;
  app.addHook('onSend', async (_request, _reply, payload) => {
    sent += 1;
    return turnOfTheLoop().then(() => payload);
  });
  const { statusCode, body } = await app.inject('/');
  expect([statusCode, body]).toEqual([429, 'mine']);
  await turnOfTheLoop();
  expect(sent).toBeLessThanOrEqual(1);
});

it('A refusal passes the onSend hooks, and no charset is added to its type', async () => {
  const app = await limitedApp(minute(0));
  const sent: unknown[] = [];
  app.addHook('onSend', async (request, reply) => void sent.push([request.rateLimit?.allowed, reply.statusCode]));
  const { headers } = await app.inject('/');
  expect(sent).toEqual([[false, 429]]);
  expect(headers['content-type']).toBe('application/problem+json');
});

it('The reservation is on the request, for handlers that know the real cost', async () => {
  const app = await limitedApp({ ...minute(10), cost: 5 });
  app.get('/', async (request) => {
    request.rateLimit?.settle(1);
    return 'ok';
  });
  await app.inject('/');
  expect((await app.inject('/')).headers['x-ratelimit-remaining']).toBe('4');
});

it('The default export is the plugin', async () => {
  const { default: plugin } = await import('../src/index.js');
  expect(plugin).toBe(rateLimit);
});
