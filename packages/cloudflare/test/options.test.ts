import { expect, it } from '@jest/globals';
import { DurableObjectStore, type DurableObjectStoreOptions } from '../src/index.js';
import { TestNamespace } from './objects.js';

const namespace = new TestNamespace();

it.each<[path: string, options: object]>([
  ['namespace', {}],
  ['namespace', { namespace: {} }],
  ['namespace', { namespace: 'LIMITS' }],
  ['partition', { namespace, partition: '' }],
  ['partition', { namespace, partition: 7 }],
  ['partition', { namespace, partition: 'x'.repeat(501) }],
  ['locationHint', { namespace, locationHint: '' }],
  ['waitUntil', { namespace, waitUntil: Promise.resolve() }],
  ['timeout', { namespace, timeout: 0 }],
  ['instances', { namespace, instances: 0 }],
  ['name', { namespace, name: '' }],
  ['clock', { namespace, clock: {} }],
  ['client', { namespace, client: {} }],
])('A wrong %s is an error at once: %j', (path, options) => {
  expect(() => new DurableObjectStore(options as DurableObjectStoreOptions)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});

it('A name that partition returns is checked with the request', async () => {
  const store = new DurableObjectStore({ namespace, partition: () => '' });
  const target = { policy: 'api', name: 'api', key: 'ann' };
  await expect(store.reset([target])).rejects.toMatchObject({ code: 'SLUICE_OPTION', path: 'partition()' });
});

it('Objects are created where locationHint says', async () => {
  const own = new TestNamespace();
  const store = new DurableObjectStore({ namespace: own, locationHint: 'weur' });
  await store.reset([{ policy: 'api', name: 'api', key: 'ann' }]);
  expect([...own.locationHints]).toEqual(['weur']);
});
