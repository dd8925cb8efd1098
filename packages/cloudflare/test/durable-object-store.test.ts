import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { expectSameAsInMemory } from '@sluice/test-kit/differential/same-as-in-memory';
import { PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import { DurableObjectStore } from '../src/index.js';
import { OBJECT_OF_EACH_KEY, ONE_OBJECT } from './claims.js';
import { TestNamespace } from './objects.js';

/** CI runs the suite over one object. `npm run proof -- edge` runs all of this in workerd. */
const SUITES = [
  ['one object', 'all', ONE_OBJECT],
  ...(process.env.SLUICE_SUITES === 'full' ? [['an object for each key', undefined, OBJECT_OF_EACH_KEY] as const] : []),
] as const;

let namespace: TestNamespace;

for (const [name, partition, claims] of SUITES) {
  const store = (clock: DurableObjectStore['clock']): DurableObjectStore =>
    new DurableObjectStore({ namespace, clock, timeout: '10s', ...(partition && { partition }) });
  storeSuite(
    `DurableObjectStore of ${name}`,
    (clock) => {
      namespace = new TestNamespace();
      return store(clock);
    },
    claims,
    { describe, it, beside: store, peeks: PEEKS_OF_SHARED_CODE },
  );
}

it('An object decides as memory does, whatever happens, to the last bit', async () => {
  const own = new TestNamespace();
  await expectSameAsInMemory(
    (clock) => new DurableObjectStore({ namespace: own, partition: 'all', clock, timeout: '10s' }),
    'objects',
  );
}, 600_000);
