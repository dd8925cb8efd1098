import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { type AdmittingHost, byHeader, carryOut, createEnforcer, type HttpRequest } from '@sluice/core/http';
import { watchAnswer } from '../../src/node/answer.js';
import { removeHeaders, setHeaders } from '../../src/node/response-fields.js';

it('A response has only the header fields that were set, and none that objects inherit', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  Object.defineProperty(Object.prototype, 'x-slipped-in', { value: 'yes', enumerable: true, configurable: true });
  try {
    setHeaders(response, { RateLimit: '"login";r=4;t=60' });
  } finally {
    Reflect.deleteProperty(Object.prototype, 'x-slipped-in');
  }
  expect(response.getHeaderNames()).toEqual(['ratelimit']);
});

it('The Headers of fetch are a response that only the adapter sends', () => {
  const headers = new Headers({ 'X-Old': 'yes' });
  setHeaders(headers, { RateLimit: '"login";r=4;t=60' });
  removeHeaders(headers, ['x-old']);
  expect([...headers]).toEqual([['ratelimit', '"login";r=4;t=60']]);
  expect(watchAnswer(headers)()).toBe(false);
});

it('An adapter for fetch needs no response of Node', async () => {
  const kept: string[] = [];
  const host: AdmittingHost<[request: HttpRequest, fields: Headers]> = {
    requestOf: (request) => request,
    responseOf: (_request, fields) => fields,
    keep: ({ policy }) => void kept.push(policy),
    onEnd: () => () => {},
  };
  const { enforce } = createEnforcer<[request: HttpRequest, fields: Headers]>(
    { limit: 1, window: '1m', keyGenerator: byHeader('x-client') },
    host,
  );
  const admit = (request: HttpRequest, fields: Headers) => carryOut(enforce(request, fields), host);
  const next = (): HttpRequest => {
    const { method, url, headers } = new Request('http://localhost/', { headers: { 'X-Client': 'ann' } });
    return { method, url, headers: Object.fromEntries(headers) };
  };
  const [first, second] = [new Headers(), new Headers()];
  expect(await admit(next(), first)).toBe('admitted');
  expect(await admit(next(), second)).toMatchObject({ refusal: { status: 429 }, decision: { allowed: false } });
  expect([first.get('RateLimit'), second.get('RateLimit')]).toEqual(['"per-1m";r=0;t=60', '"per-1m";r=0;t=60']);
  expect([first.get('Retry-After'), second.get('Retry-After')]).toEqual([null, '60']);
  expect(kept).toEqual(['default', 'default']);
});
