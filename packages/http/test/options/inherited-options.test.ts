import { expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createEnforcer, type HttpOptions } from '@sluice/core/http';
import { inheritedOptions } from '../../src/options/inherited-options.js';

const all = { name: 'site', limit: 100, window: '1m', standardHeaders: 'draft-7', statusCode: 420 } as const;

it('An own limit replaces all inherited amounts, and the rest is inherited', () => {
  const rest = { standardHeaders: 'draft-7', statusCode: 420 };
  expect(inheritedOptions({ limit: 5, window: '1s' }, all)).toEqual({ ...rest, limit: 5, window: '1s' });
  expect(inheritedOptions({ limits: [{ limit: 5, window: '1s' }] }, all)).toEqual({
    ...rest,
    limits: [{ limit: 5, window: '1s' }],
  });
});

it.each([
  ['slowDown', { after: 50, by: 10, upTo: 100 }],
  ['elastic', { upTo: 150, while: { isCalm: true } }],
  ['guarantee', { limit: 20, keyGenerator: () => 'tenant', total: 80 }],
  ['lend', 0.5],
])('What is measured by an inherited limit goes with it: %s', (option, value) => {
  const measured = { ...all, [option]: value };
  expect(inheritedOptions({ limit: 5, window: '1s' }, measured)).not.toHaveProperty(option);
  expect(inheritedOptions({ statusCode: 429 }, measured)).toHaveProperty(option, value);
  expect(inheritedOptions({ limit: 5, window: '1s' }, { ...measured, limit: undefined })).toHaveProperty(option, value);
  expect(inheritedOptions({ limit: 5, window: '1s', [option]: 'own' }, measured)).toHaveProperty(option, 'own');
});

it.each<[waits: boolean, own: object, further: object]>([
  [true, {}, { maxWait: '1s' }],
  [true, { maxWait: '1s' }, {}],
  [true, { slowDown: {} }, {}],
  [true, { limits: [{ limit: 5, window: '1s', slowDown: {} }] }, {}],
  [false, {}, {}],
  [false, {}, { slowDown: { after: 5, by: 1, upTo: 1 } }],
  [false, { limits: [{ limit: 5, window: '1s' }] }, {}],
])('The bound of requests that wait is inherited if requests may wait: %p, for %j beside %j', (waits, own, further) => {
  const limit = 'limits' in own ? {} : { limit: 5, window: '1s' };
  const inherited = inheritedOptions({ ...limit, ...own }, { ...all, ...further, waiting: 3 });
  expect('waiting' in inherited).toBe(waits);
});

it('Options without a limit inherit the limit, and never the name', () => {
  const { name, ...rest } = all;
  expect(inheritedOptions({ statusCode: 429 }, all)).toEqual({ ...rest, statusCode: 429 });
  expect(inheritedOptions({ name: 'own' }, all)).toEqual({ ...rest, name: 'own' });
  expect(name).toBe('site');
});

it('A window without a limit is an error', () => {
  const error = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'window', received: '1s' });
  expect(() => inheritedOptions({ window: '1s' }, all)).toThrow(error);
});

it('An undefined option is inherited', () => {
  expect(inheritedOptions({ limit: undefined, statusCode: undefined }, all)).toMatchObject({
    limit: 100,
    statusCode: 420,
  });
});

it('A name on a store belongs to the owner that the adapter passes', () => {
  const store = new MemoryStore();
  const host = { requestOf: () => ({ method: 'GET', url: '/', headers: {} }), proxyTrust: () => 'none' as const };
  const written: HttpOptions<[]> = { limit: 5, window: '1m' };
  createEnforcer({ ...written, store }, host, written);
  expect(() => createEnforcer({ ...written, store }, host, written)).not.toThrow();
  expect(() => createEnforcer({ ...written, store }, host, { ...written })).toThrow(
    expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }),
  );
});
