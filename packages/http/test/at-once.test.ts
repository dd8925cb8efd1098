import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { MemoryStore, slidingWindow, tokenBucket } from '@sluice/core';
import {
  type AdmittingHost,
  carryOut,
  createEnforcer,
  createMiddleware,
  type HttpOptions,
  type HttpRequest,
} from '@sluice/core/http';
import { ManualClock } from '@sluice/core/src/testing/manual-clock';

type Args = [request: HttpRequest, response: ServerResponse];

const nodeResponse = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()));
const request = (): HttpRequest => ({ method: 'GET', url: '/', headers: {}, ip: '203.0.113.7' });

const host: AdmittingHost<Args> = {
  requestOf: (req) => req,
  responseOf: (_req, res) => res,
  keep: () => {},
  onEnd: () => () => {},
};

const [two, bucket] = [slidingWindow({ limit: 2, window: '1m' }), tokenBucket({ capacity: 3, refillRate: 0.1 })];

/** Policies that add nothing of their own to an answer. */
const PLAIN: readonly [string, HttpOptions<Args>][] = [
  ['one limit', { limit: two }],
  ['several limits', { limits: [two, { name: 'b', limit: bucket }] }],
  [
    'a limit in the shadow',
    {
      limits: [
        { limit: two, name: 'shadow', enforce: 0 },
        { name: 'b', limit: bucket },
      ],
    },
  ],
  ['a bucket that never refills', { limit: tokenBucket({ capacity: 2, refillRate: 0 }) }],
  ['draft 6', { limit: two, standardHeaders: 'draft-6' }],
  [
    'draft 7, and dates',
    { limit: two, standardHeaders: 'draft-7', legacyHeaders: { resetAs: 'epoch', reset: 'X-At' } },
  ],
  ['no fields', { limit: two, standardHeaders: false, legacyHeaders: false }],
  ['another field for the wait', { limit: two, legacyHeaders: { retryAfter: 'X-Wait' }, retryAfter: false }],
  ['another status', { limit: two, statusCode: 420 }],
  ['a name with quotes', { limits: [{ name: 'a"b\\c', limit: two }] }],
];

describe('An admission at once', () => {
  it.each(PLAIN)('is what the steps of an enforcement give: %s', async (_, options) => {
    const [clock, other] = [new ManualClock(), new ManualClock()];
    const { pass } = createMiddleware({ ...options, store: new MemoryStore({ clock }) }, host);
    const { enforce } = createEnforcer({ ...options, store: new MemoryStore({ clock: other }) }, host);
    for (let i = 0; i < 5; i += 1) {
      const res = nodeResponse();
      const end = jest.spyOn(res, 'end');
      const next = jest.fn();
      pass(request(), res, next);
      const enforcement = await enforce(request(), nodeResponse());
      const refusal = await enforcement?.refuse?.(() => false);
      const expected = new Headers({ ...enforcement?.headers, ...refusal?.headers });
      expect(new Headers(res.getHeaders() as Record<string, string>)).toEqual(expected);
      expect(next).toHaveBeenCalledTimes(refusal ? 0 : 1);
      expect(end.mock.calls[0]?.[0]).toBe(refusal?.body);
      expect(res.statusCode).toBe(refusal?.status ?? 200);
      clock.advance(7_000);
      other.advance(7_000);
    }
  });

  it('is no promise, unless a function of the policy returns one', async () => {
    const outcomes = (options: Partial<HttpOptions<Args>>) => {
      const { enforce } = createEnforcer({ limit: two, ...options } as HttpOptions<Args>, host);
      return Array.from({ length: 3 }, () => {
        const args: Args = [request(), nodeResponse()];
        return carryOut(enforce(...args), host);
      });
    };
    const refused = { refusal: expect.objectContaining({ status: 429 }), decision: expect.anything() };
    const atOnce: Partial<HttpOptions<Args>>[] = [
      { onDecision: () => {} },
      { message: 'no' },
      { problem: { hint: 'later' } },
      { problem: () => ({ hint: 'later' }) },
      { onLimitReached: () => {} },
      { statusCode: () => 429 },
      { retryAfter: () => false },
      { extraHeaders: { 'X-Plan': 'free' } },
    ];
    for (const options of atOnce) expect(outcomes(options)).toEqual(['admitted', 'admitted', refused]);
    const later: Partial<HttpOptions<Args>>[] = [
      { message: async () => 'no' },
      { problem: async () => ({ hint: 'later' }) },
      { onLimitReached: async () => {} },
      { statusCode: async () => 429 },
      { retryAfter: async () => false },
    ];
    for (const options of later) {
      const [first, second, last] = outcomes(options);
      expect([first, second]).toEqual(['admitted', 'admitted']);
      expect(last).toBeInstanceOf(Promise);
      expect(await last).toEqual(refused);
    }
  });

  it('is nothing if the response was begun before', () => {
    const { pass } = createMiddleware({ limit: 0, window: '1m' }, host);
    const res = nodeResponse();
    res.writeHead(204);
    const end = jest.spyOn(res, 'end');
    const next = jest.fn();
    pass(request(), res, next);
    expect(end).not.toHaveBeenCalled();
    expect(next).not.toHaveBeenCalled();
  });

  it('hands an error of the response to next, and sends nothing twice', () => {
    const { pass } = createMiddleware({ limit: 0, window: '1m' }, host);
    const res = nodeResponse();
    const broken = new Error('broken');
    jest.spyOn(res, 'end').mockImplementation(() => {
      throw broken;
    });
    const next = jest.fn();
    pass(request(), res, next);
    expect(next.mock.calls).toEqual([[broken]]);
  });
});
