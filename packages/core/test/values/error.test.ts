import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createLimiter, SluiceError } from '@sluice/core';
import { createEnforcer, PolicySet } from '@sluice/core/http';
import { optionError, reasonOf } from '../../src/values/error.js';
import { SITE } from '../../src/values/site.js';

const SECRET = 'Bearer of-a-customer';

/** An error has it once the owner has set the address of the site. */
const HELP = SITE ? ['help'] : [];

/** A request as frameworks have it: everything about a client is in it. */
const REQUEST = { method: 'GET', url: '/', headers: { authorization: SECRET, cookie: SECRET }, ip: '203.0.113.7' };

/** Everything that a log, a tracker of errors or a JSON response may show of an error. */
function shown(error: object): string {
  const members: unknown[] = [];
  for (const name in error) members.push(name, Reflect.get(error, name));
  return [
    inspect(error, { depth: 9 }),
    JSON.stringify(error),
    JSON.stringify(members),
    JSON.stringify({ ...error }),
  ].join();
}

function thrownBy(call: () => unknown): SluiceError {
  try {
    call();
  } catch (error) {
    if (error instanceof SluiceError) return error;
    throw error;
  }
  throw new Error('it threw nothing');
}

/** Mistakes that hand a whole request to Sluice. */
const MISTAKES: Readonly<Record<string, () => unknown>> = {
  'a middleware that was passed and not called': () =>
    createEnforcer(REQUEST as never, { requestOf: () => REQUEST, proxyTrust: () => 'none' }),
  'a request as an option': () => createLimiter({ limit: REQUEST as never, window: '1m' }),
  'a request as an unknown option': () => createLimiter({ limit: 1, window: '1m', req: REQUEST } as never),
  'a request as a key': () => createLimiter({ limit: 1, window: '1m' }).consume(REQUEST as never),
  'a request as a part of a key': () =>
    createLimiter({ limit: 1, window: '1m', keyGenerator: () => ['user', REQUEST] as never }).consume('a'),
  'a request as a cost': () => createLimiter({ limit: 1, window: '1m', cost: () => REQUEST as never }).consume('a'),
  'a request as the name of a policy': () =>
    new PolicySet({ limit: 1, window: '1m' }, () => undefined as never).named(REQUEST as never),
};

describe('An error', () => {
  it.each(Object.entries(MISTAKES))('shows nothing of %s', (_mistake, make) => {
    const error = thrownBy(make);
    expect(shown(error)).not.toContain(SECRET);
    expect(typeof error.received).not.toBe('object');
  });

  it('keeps a primitive value that it received, and hides it from logs', () => {
    for (const value of ['0s', '', 0, -1.5, true, null, undefined, 10n, Symbol.iterator]) {
      const error = optionError('window', 'must be a duration', value);
      expect(error.received).toBe(value);
      expect('received' in error).toBe(true);
      expect(Object.keys(error)).toEqual(['name', 'code', ...HELP, 'path']);
    }
    expect(inspect(optionError('window', 'must be a duration', '0s'))).not.toContain('received');
  });

  it('does not keep a text that is too long for an option, an object, or a function', () => {
    for (const value of ['x'.repeat(257), {}, [], () => 1, new Date(0)]) {
      expect('received' in optionError('window', 'must be a duration', value)).toBe(false);
    }
    expect(optionError('window', 'must be a duration', 'x'.repeat(256)).received).toHaveLength(256);
  });

  it('has no members without a value', () => {
    const error = new SluiceError('SLUICE_CLOSED', 'the store was closed');
    expect(Object.keys(error)).toEqual(['name', 'code', ...HELP]);
    expect(error).toMatchObject({ name: 'SluiceError', code: 'SLUICE_CLOSED' });
    for (const member of ['path', 'received', 'retryAfterMs', 'atMs', 'storeFailure', 'cause']) {
      expect(member in error).toBe(false);
    }
  });
});

it.each<[string, unknown, string]>([
  ['an error of Sluice', new SluiceError('SLUICE_FULL', 'no room'), 'no room'],
  [
    'an error of another program that ends with a code',
    new Error('it said: no room (SLUICE_FULL)'),
    'it said: no room',
  ],
  ['another error', new TypeError('no function (yet)'), 'no function (yet)'],
  ['a text', 'no room', 'no room'],
  ['a number', 7, '7'],
  ['nothing', undefined, 'undefined'],
  ['an object that has no text', Object.create(null), 'an object'],
])('The reason of %s can be quoted', (_, thrown, reason) => {
  expect(reasonOf(thrown)).toBe(reason);
});
