import { beforeEach, expect, it } from '@jest/globals';
import { concurrency, fixedWindow, type LimitCheck, MemoryStore, slidingWindow, tokenBucket } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { DurableObjectStore } from '../src/index.js';
import { TestNamespace } from './objects.js';

const AT_MS = 1_800_000_000_000;

let namespace: TestNamespace;
let store: DurableObjectStore;

beforeEach(() => {
  namespace = new TestNamespace();
  store = new DurableObjectStore({ namespace, partition: 'all', clock: new ManualClock(AT_MS) });
});

const check = (own: Partial<LimitCheck> = {}): LimitCheck => ({
  policy: 'api',
  name: 'limit',
  key: 'ann',
  limit: slidingWindow({ limit: 10, window: '1m' }),
  cost: 1,
  ...own,
});

it.each<[what: string, check: LimitCheck]>([
  ['a cost that never fits', check({ cost: 11 })],
  ['a fraction', check({ limit: tokenBucket({ capacity: 3, refillRate: 0.001 }), cost: 3 })],
  ['a limit that only watches', check({ cost: 11, shadow: true })],
  ['the largest limit', check({ limit: fixedWindow({ limit: 4_503_599_627_370_495, window: '1d' }) })],
  ['slots', check({ limit: concurrency({ limit: 1, lease: '1m' }) })],
])('A verdict about %s is that of the memory store', async (_, asked) => {
  const memory = new MemoryStore({ clock: new ManualClock(AT_MS) });
  const request = { checks: [asked], id: 'request' };
  expect(await store.consume(request)).toEqual(memory.consume(request));
  expect(await store.consume({ checks: [asked], id: 'another' })).toEqual(
    memory.consume({ checks: [asked], id: 'another' }),
  );
  expect((await store.consume(request)).verdicts[0]?.limit).toBe(asked.limit);
});

it.each([
  ['a NUL', 'a\0b', 'a'],
  ['a line break', 'a\nb', 'a'],
  ['a quote', "'; DROP TABLE limits; --", "'"],
  ['letters of all kinds', 'é', 'e\u0301'],
  ['another case', 'ANN', 'ann'],
  ['half a surrogate pair', '\ud800', '\ud801'],
  ['half a million characters', 'x'.repeat(500_000), 'x'.repeat(499_999)],
  ['the name of what every object of the language has', '__proto__', 'constructor'],
])('A key with %s is counted by itself', async (_, key, other) => {
  for (const counting of [store, new DurableObjectStore({ namespace, clock: new ManualClock(AT_MS) })]) {
    const usedOf = async (asked: string): Promise<number | undefined> =>
      (await counting.consume({ checks: [check({ key: asked })] })).verdicts[0]?.used;
    expect([await usedOf(key), await usedOf(other), await usedOf(key)]).toEqual([1, 1, 2]);
  }
});

it.each([
  ['another version', '[2, null, {}]', 'the Worker and the object have different versions of Sluice'],
  ['an unknown call', '[1, null, {"method": "constructor", "argument": []}]', 'a store has no call "constructor"'],
  ['no message', 'hello', 'JSON'],
  ['nothing', '', 'JSON'],
])('A message of %s gets an error, and changes nothing', async (_, body, message) => {
  const answer = await namespace.get({ name: 'all' }).fetch('https://limits.invalid/', { method: 'POST', body });
  expect(JSON.parse(await answer.text())).toEqual({
    error: { code: 'SLUICE_STORE', message: expect.stringContaining(message) },
  });
  expect(namespace.object('all').storage.keys).toBeUndefined();
});

const answering = (text: string, status: number): DurableObjectStore => {
  const fetch = async () => new Response(text, { status });
  return new DurableObjectStore({
    namespace: { idFromName: (name) => name, get: () => ({ fetch }) },
    partition: 'all',
  });
};

it.each([
  ['a page', '<p>not found</p>', 404],
  ['null', 'null', 200],
  ['a text', '"hello"', 200],
  ['another object', '{"ok": true}', 200],
  ['a list', '[]', 200],
  ['the error of another class', '{"error": "not found"}', 404],
  ['an error without a code', '{"error": {"message": "not found"}}', 404],
])('An answer of %s is a failure of the store that shows it, whatever was asked', async (_, text, status) => {
  const other = answering(text, status);
  const target = check();
  const calls = [
    () => other.consume({ checks: [target] }),
    () => other.reset([target]),
    () => other.blocks?.block({ targets: [target], forMs: 1000 }),
    () => other.blocks?.find([target]),
  ];
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      code: 'SLUICE_STORE',
      message: expect.stringContaining(`the object answered ${status}: ${text}`),
    });
});

it('An error of a newer version is that of the store', async () => {
  const other = answering('{"error": {"code": "SLUICE_STORE", "message": "no"}}', 200);
  await expect(other.consume({ checks: [check()] })).rejects.toMatchObject({ code: 'SLUICE_STORE' });
});

it('A connection that breaks within an answer is a failure of the store', async () => {
  const text = async (): Promise<string> => {
    throw new Error('Network connection lost.');
  };
  const fetch = async () => ({ status: 200, text });
  const other = new DurableObjectStore({ namespace: { idFromName: (name) => name, get: () => ({ fetch }) } });
  await expect(other.consume({ checks: [check()] })).rejects.toMatchObject({
    code: 'SLUICE_STORE',
    message: expect.stringContaining('the object cannot be asked: Network connection lost.'),
  });
});
