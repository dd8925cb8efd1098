// A Worker whose requests meet in one process: what they share must not be a timer or a signal, which belong to one of them.
import '@sluice/core/lines';
import { concurrency, createLimiter, fixedWindow, MemoryStore, rateLimit, respond } from '@sluice/fetch';

const everyone = () => 'everyone';
const ONE = fixedWindow({ limit: 1, window: '500ms' });

const waiting = rateLimit({ name: 'waiting', limit: ONE, maxWait: '8s', keyGenerator: everyone });
const limiter = createLimiter({ name: 'wait', limit: ONE });
const slots = rateLimit({ name: 'slots', limit: concurrency({ limit: 2, lease: '1s' }), keyGenerator: everyone });
const held = createLimiter({ name: 'held', limit: fixedWindow({ limit: 10, window: '1h' }), store: new MemoryStore() });
const slowed = rateLimit({
  name: 'slowed',
  limit: 100,
  window: '1h',
  slowDown: { after: 1, by: '500ms', upTo: '500ms' },
  waiting: 2,
  keyGenerator: ({ url }) => new URL(url).searchParams.get('key'),
});

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** How many handlers with a slot are at work. */
let atWork = 0;

async function work(ms) {
  atWork += 1;
  const most = atWork;
  await sleep(ms);
  atWork -= 1;
  return new Response(String(most));
}

const hello = () => new Response('hello');

const ANSWERS = {
  '/waiting': async (request) => (await waiting(request)) ?? respond(request, hello),
  '/wait': async () => new Response(String((await limiter.wait('everyone', { maxWait: '8s' })).allowed)),
  '/slots': async (request, { ms }) => (await slots(request)) ?? respond(request, () => work(Number(ms))),
  '/held': async (_request, { ms }) => {
    held.reserve('everyone', { expires: Number(ms), onExpiry: 'giveBack' });
    await sleep(1000);
    return new Response(String(held.peek('everyone').tightest.used));
  },
  '/slowed': async (request) => (await slowed(request)) ?? respond(request, hello),
};

export default {
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    return ANSWERS[pathname](request, Object.fromEntries(searchParams));
  },
};
