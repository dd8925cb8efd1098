import type { AdapterAnswer, AdapterTools, StartAdapter } from '@sluice/conformance';
import { serveFetch } from '@sluice/test-kit/serve-fetch';
import { type Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { clientAddress, rateLimit } from '../src/index.js';

function answerOf(c: Context, answer: AdapterAnswer): Response {
  const { body } = answer;
  const status = answer.status as ContentfulStatusCode;
  if (body instanceof ReadableStream) return c.body(body, status);
  return typeof body === 'string' ? c.text(body, status) : c.json(body, status);
}

/** What of a Hono callback's arguments the suite reads. */
const tools: AdapterTools = {
  requestOf: ([c]) => {
    const { method, url, raw } = (c as Context).req;
    return { method, url: url.slice(url.indexOf('/', 8)), headers: Object.fromEntries(raw.headers) };
  },
  statusOf: ([c]) => (c as Context).res.status,
  answer: ([c], answer) => {
    (c as Context).res = answerOf(c as Context, answer);
  },
};

/**
 * Serves the adapter suite's applications with Hono.
 *
 * @param addressOf - returns the address of the connected peer, on other runtimes than Node
 */
export function startWith(addressOf?: (c: Context) => string | undefined): StartAdapter {
  return async ({ policies, handle, trustsLoopback = false }) => {
    const app = new Hono();
    app.onError((_error, c) => c.text('Internal Server Error', 500));
    const trustProxy = trustsLoopback ? ['127.0.0.0/8', '::1'] : [];
    if (addressOf) app.use(clientAddress({ addressOf, trustProxy }));
    else if (trustsLoopback) app.use(clientAddress({ trustProxy }));
    for (const options of policies(tools)) app.use(rateLimit(options));
    app.all('*', async (c) => {
      const { method, url } = c.req;
      const path = url.slice(url.indexOf('/', 8));
      return answerOf(c, await handle({ method, path, rateLimit: c.get('rateLimit') }));
    });
    return serveFetch(app.fetch);
  };
}

export const start = startWith();
