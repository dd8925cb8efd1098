import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { type RateLimitOptions, rateLimit, slidingWindow, tokenBucket } from '../src/index.js';

const good = { limit: 5, window: '1m' } as const;
const limits = [slidingWindow(good)];

/** What is wrong, at which path, and what of the message tells the cure. */
const WRONG: readonly [options: unknown, path: string, cure: RegExp][] = [
  [undefined, 'options', /must be an object, got undefined/],
  [null, 'options', /must be an object, got null/],
  [[good], 'options', /must be an object, got an array/],
  [
    new IncomingMessage(new Socket()),
    'options',
    /not a request: call the function, app\.use\(rateLimit\(\{ \.\.\. \}\)\), got an object/,
  ],
  [{}, 'limit', /must be a number with a window, a Limit, or a function of either/],
  [{ limit: 5 }, 'limit', /needs the option window, got 5/],
  [{ ...good, limit: -1 }, 'limit', /whole number of at least 0, got -1/],
  [{ ...good, limit: '5' }, 'limit', /whole number of at least 0, got "5"/],
  [{ ...good, window: '1 fortnight' }, 'window', /"1 fortnight"/],
  [{ ...good, window: 0 }, 'window', /at least 1 ms, .*got 0/],
  [{ limit: 5, windowMs: 60_000 }, 'windowMs', /is not an option: use window/],
  [{ ...good, max: 5 }, 'max', /is not an option: use limit/],
  [{ ...good, headers: true }, 'headers', /is not an option: use legacyHeaders/],
  [{ ...good, handler: () => {} }, 'handler', /is not an option: use onLimitReached/],
  [{ ...good, blockDuration: '1h' }, 'blockDuration', /is an option of a Limit, use limit: slidingWindow\(/],
  [{ ...good, whitelist: [] }, 'whitelist', /is not an option: use allowList/],
  [{ ...good, blacklist: [] }, 'blacklist', /is not an option: use denyList/],
  [{ ...good, softness: 0.1 }, 'softness', /is not an option: the page options.md of /],
  [{ limits: [...limits, { limit: 5, window: -1, name: 'b' }] }, 'limits[1].window', /at least 1 ms, .*got -1/],
  [{ limits: [{ ...good, message: 'no' }] }, 'limits[0].message', /is not an option: the page options.md of /],
  [
    { ...good, standardHeaders: 'draft-5' },
    'standardHeaders',
    /one of true, false, "draft-11", "draft-8", .*got "draft-5"/,
  ],
  [{ ...good, standardHeaders: null }, 'standardHeaders', /one of .*got null/],
  [{ ...good, statusCode: 200 }, 'statusCode', /whole number from 400 to 599, got 200/],
  [{ ...good, retryAfter: 'no' }, 'retryAfter', /one of true, false, got "no"/],
  [{ ...good, problem: 'text' }, 'problem', /must be a record of members, .*got "text"/],
  [{ ...good, problem: [1] }, 'problem', /must be a record of members/],
  [{ ...good, problem: { status: 1 } }, 'problem', /must not have the member status/],
  [{ ...good, problem: { units: 1n } }, 'problem', /can be written as JSON/],
  [{ ...good, reconsider: true }, 'reconsider', /must be a function, got true/],
  [{ ...good, partition: 'model' }, 'partition', /must be a function, got "model"/],
  [{ limits: [{ ...good, partition: {} }] }, 'limits[0].partition', /must be a function/],
  [{ ...good, legacyHeaders: 'yes' }, 'legacyHeaders', /one of true, false, got "yes"/],
  [{ ...good, legacyHeaders: { total: 'X-A' } }, 'legacyHeaders.total', /the options are limit, remaining, reset, /],
  [{ ...good, legacyHeaders: { limit: 'X Limit' } }, 'legacyHeaders.limit', /the name of a header field, or false/],
  [
    { ...good, legacyHeaders: { limit: true } },
    'legacyHeaders.limit',
    /the name of a header field, or false, got true/,
  ],
  [{ ...good, legacyHeaders: { remaining: '' } }, 'legacyHeaders.remaining', /the name of a header field, or false/],
  [
    { ...good, legacyHeaders: { reset: null } },
    'legacyHeaders.reset',
    /the name of a header field, or false, got null/,
  ],
  [
    { ...good, legacyHeaders: { limit: 'X-A', reset: 'x-a' } },
    'legacyHeaders.reset',
    /is already the name of another field/,
  ],
  [{ ...good, legacyHeaders: { limit: 'RateLimit' } }, 'legacyHeaders.limit', /is already the name of another field/],
  [{ ...good, legacyHeaders: { reset: 'retry-after' } }, 'legacyHeaders.reset', /is already the name of another field/],
  [{ ...good, legacyHeaders: { reset: 'Content-Length' } }, 'legacyHeaders.reset', /frameworks and servers set/],
  [{ ...good, legacyHeaders: { resetAs: 'date' } }, 'legacyHeaders.resetAs', /one of "seconds", "epoch"/],
  [{ ...good, legacyHeaders: null }, 'legacyHeaders', /one of true, false, got null/],
  [{ ...good, extraHeaders: 'X-A: b' }, 'extraHeaders', /must be a record of header fields/],
  [{ ...good, extraHeaders: new Headers({ 'X-A': 'b' }) }, 'extraHeaders', /must be a record of header fields/],
  [{ ...good, extraHeaders: new Map([['X-A', 'b']]) }, 'extraHeaders', /must be a record of header fields/],
  [
    { ...good, extraHeaders: { 'Proxy-Connection': 'b' } },
    'extraHeaders["Proxy-Connection"]',
    /frameworks and servers set/,
  ],
  [
    { ...good, extraHeaders: { 'HTTP2-Settings': 'b' } },
    'extraHeaders["HTTP2-Settings"]',
    /frameworks and servers set/,
  ],
  [{ ...good, extraHeaders: { 'X A': 'b' } }, 'extraHeaders["X A"]', /the name of a header field/],
  [{ ...good, extraHeaders: { 'X-A': 'b\nc' } }, 'extraHeaders["X-A"]', /without line breaks/],
  [{ ...good, extraHeaders: { RateLimit: 'b' } }, 'extraHeaders["RateLimit"]', /Sluice sends: switch it off/],
  [
    { ...good, onMissingKey: 'ip' },
    'onMissingKey',
    /must be 'address', a status from 400 to 499, or a function .*got "ip"/,
  ],
  [{ ...good, onMissingKey: 500 }, 'onMissingKey', /a status from 400 to 499, .*got 500/],
  [{ ...good, onMissingKey: 401.5 }, 'onMissingKey', /got 401.5/],
  [{ ...good, onMissingKey: null }, 'onMissingKey', /got null/],
  [{ ...good, retryAfter: 'yes' }, 'retryAfter', /one of true, false, got "yes"/],
  [{ ...good, onDecision: true }, 'onDecision', /must be a function, got true/],
  [{ ...good, statusCode: 399 }, 'statusCode', /whole number from 400 to 599, got 399/],
  [{ ...good, statusCode: 600 }, 'statusCode', /whole number from 400 to 599, got 600/],
  [{ ...good, statusCode: '429' }, 'statusCode', /whole number from 400 to 599, got "429"/],
  [{ ...good, statusCode: null }, 'statusCode', /whole number from 400 to 599, got null/],
  [{ ...good, message: 5 }, 'message', /must be text, an object, or a function that returns one, got 5/],
  [{ ...good, message: null }, 'message', /must be text, an object, or a function that returns one, got null/],
  [{ ...good, message: { units: 5n } }, 'message', /must be text, or an object that can be written as JSON/],
  [
    { ...good, message: { toJSON: () => undefined } },
    'message',
    /must be text, or an object that can be written as JSON/,
  ],
  [{ ...good, message: ['no'] }, 'message', /must be text, an object, or a function that returns one, got an array/],
  [{ ...good, onLimitReached: true }, 'onLimitReached', /must be a function, got true/],
  [{ ...good, onLimitReached: null }, 'onLimitReached', /must be a function, got null/],
  [{ ...good, requestWasSuccessful: 200 }, 'requestWasSuccessful', /must be a function, got 200/],
  [{ ...good, skipFailedRequests: 'yes' }, 'skipFailedRequests', /one of true, false, got "yes"/],
  [{ ...good, skipFailedRequests: null }, 'skipFailedRequests', /one of true, false, got null/],
  [{ ...good, skipSuccessfulRequests: 1 }, 'skipSuccessfulRequests', /one of true, false, got 1/],
  [
    { ...good, skipFailedRequests: true, skipSuccessfulRequests: true },
    'skipSuccessfulRequests',
    /must not be used with skipFailedRequests: nothing would be counted/,
  ],
  [{ ...good, allowList: '10.0.0.0/8' }, 'allowList', /must be an array of addresses and CIDR ranges/],
  [{ ...good, allowList: null }, 'allowList', /must be an array of addresses and CIDR ranges, got null/],
  [
    { ...good, allowList: ['::1', 'localhost'] },
    'allowList[1]',
    /must be an address or a CIDR range .*got "localhost"/,
  ],
  [{ ...good, denyList: ['10.0.0.0/33'] }, 'denyList[0]', /must be an address or a CIDR range .*got "10\.0\.0\.0\/33"/],
  [{ ...good, denyList: null }, 'denyList', /must be an array of addresses and CIDR ranges, got null/],
  [{ ...good, onStoreError: 'open' }, 'onStoreError', /one of "local", "allow", "deny", got "open"/],
  [{ ...good, skip: true }, 'skip', /must be a function, got true/],
  [{ ...good, keyGenerator: 'ip' }, 'keyGenerator', /must be a function, got "ip"/],
  [{ ...good, keyGenerator: [() => 'a', 'ip'] }, 'keyGenerator[1]', /must be a function, got "ip"/],
  [{ ...good, cost: -1 }, 'cost', /whole number of at least 0, got -1/],
  [{ ...good, enforce: 2 }, 'enforce', /number from 0 to 1, or 'mark', got 2/],
  [{ ...good, name: 'späte' }, 'name', /1 to 128 printable ASCII characters, got "späte"/],
];

describe('A wrong option', () => {
  it.each(WRONG)('is refused at construction: %j at %s', (options, path, suggestion) => {
    expect(() => rateLimit(options as RateLimitOptions)).toThrow(
      expect.objectContaining({
        name: 'SluiceError',
        code: 'SLUICE_OPTION',
        path,
        message: expect.stringMatching(new RegExp(`^${path.replace(/[[\].]/g, '\\$&')} .*\\(SLUICE_OPTION\\)$`, 's')),
      }),
    );
    expect(() => rateLimit(options as RateLimitOptions)).toThrow(suggestion);
  });
});

describe('A right option', () => {
  it.each<[what: string, options: RateLimitOptions]>([
    ['a limit of 0', { limit: 0, window: '1m' }],
    ['options that are undefined', { ...good, store: undefined } as RateLimitOptions],
    ['an empty message', { ...good, message: '' }],
    ['an empty object', { ...good, message: {} }],
    ['empty lists', { ...good, allowList: [], denyList: [] }],
    ['addresses and ranges', { ...good, allowList: ['::1', '10.0.0.0/8'], denyList: ['2001:db8::/32'] }],
    ['the lowest status', { ...good, statusCode: 400 }],
    ['the highest status', { ...good, statusCode: 599 }],
    ['frozen options', Object.freeze({ limits: Object.freeze([tokenBucket({ capacity: 1, refillRate: 0 })]) })],
  ])('is accepted, and the object is not changed: %s', (_, options) => {
    const before = { ...options };
    rateLimit(options);
    expect(options).toEqual(before);
  });
});

describe('A name that no header field can carry', () => {
  const NAMES: readonly [string, string][] = [
    ['empty', ''],
    ['not ASCII', 'täglich'],
    ['with a line break', 'a\r\nSet-Cookie: b'],
    ['with a tab', 'a\tb'],
    ['with DEL', 'a\x7f'],
    ['too long', 'a'.repeat(129)],
  ];

  it.each(NAMES)('(%s) is refused as the name of a policy, an item and a Limit', (_what, name) => {
    const good = { limit: 1, window: '1m' } as const;
    const refusal = (path: string) => expect.objectContaining({ code: 'SLUICE_OPTION', path, received: name });
    expect(() => rateLimit({ ...good, name })).toThrow(refusal('name'));
    expect(() =>
      rateLimit({
        limits: [
          { ...good, name: 'good' },
          { ...good, name },
        ],
      }),
    ).toThrow(refusal('limits[1].name'));
    expect(() => slidingWindow({ ...good, name })).toThrow(refusal('name'));
  });
});
