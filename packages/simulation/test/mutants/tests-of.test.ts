import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { firstFailureIn } from '../../src/mutants/kills/jest-run.js';
import { type TestsOf, testsOf } from '../../src/mutants/kills/tests-of.js';
import { SmallCheckout } from './small-checkout.js';

let small: SmallCheckout;
let tests: TestsOf;

beforeEach(() => {
  small = new SmallCheckout({
    'packages/core/test/stores/a.test.ts': "import { a } from '../../src/stores/a.js';",
    'packages/core/test/stores/b.test.ts': "import {\n  fixture,\n} from './fixture.js';",
    'packages/core/test/stores/fixture.ts': "import { a } from '../../src/stores/a.js';",
    'packages/core/test/stores/types.test.ts': "import type { A } from '../../src/stores/a.js';",
    'packages/core/test/stores/whole.test.ts': "import { storeSuite } from '@sluice/conformance';\nstoreSuite();",
    'packages/core/test/properties/bound.test.ts': "import { a } from '../../src/index.js';",
    'packages/core/test/limiter/all.test.ts': 'operationSuite();',
    'packages/core/src/index.ts': "export * from './stores/a.js';",
    'packages/redis/test/keys.test.ts': "import { serve } from './serve.js';",
    'packages/redis/test/serve.ts': "import { RedisServer } from '@sluice/test-kit/redis/redis-server';",
    'packages/redis/test/faults/lost.test.ts': "import { RedisServer } from '@sluice/test-kit/redis/redis-server';",
    'packages/redis/test/numbers.test.ts': 'storeSuite();',
    'packages/postgres/test/whole.test.ts': 'storeSuite();',
    'packages/simulation/test/fleet.test.ts': "import { a } from '../../core/src/stores/a.js';",
  });
  tests = testsOf(small.root);
});

afterEach(() => small.remove());

describe('The tests of a file', () => {
  it('import it, directly or through a file of tests', () => {
    expect(tests.direct('packages/core/src/stores/a.ts')).toEqual([
      'packages/core/test/stores/a.test.ts',
      'packages/core/test/stores/b.test.ts',
    ]);
  });

  it('are for Lua those that start a Redis, except for its faults', () => {
    expect(tests.direct('packages/redis/lua/consume.lua')).toEqual(['packages/redis/test/keys.test.ts']);
  });

  it('lie in the folder that stands for its own', () => {
    expect(tests.folder('packages/core/src/limiter/engine.ts')).toEqual(['packages/core/test/limiter/all.test.ts']);
    expect(tests.folder('packages/core/src/algorithms/kernel.ts')).toEqual([
      'packages/core/test/properties/bound.test.ts',
    ]);
    expect(tests.folder('packages/redis/src/redis-store.ts')).toEqual([
      'packages/redis/test/keys.test.ts',
      'packages/redis/test/numbers.test.ts',
    ]);
  });

  it('run the shared suites where the file runs', () => {
    const [core, limiter] = ['packages/core/test/stores/whole.test.ts', 'packages/core/test/limiter/all.test.ts'];
    const [redis, postgres] = ['packages/redis/test/numbers.test.ts', 'packages/postgres/test/whole.test.ts'];
    expect(tests.suites('packages/core/src/stores/a.ts')).toEqual([limiter, core, postgres, redis]);
    expect(tests.suites('packages/core/src/limiter/engine.ts')).toEqual([limiter, core, redis]);
    expect(tests.suites('packages/redis/lua/consume.lua')).toEqual([redis]);
    expect(tests.suites('packages/postgres/src/statements.ts')).toEqual([postgres]);
  });

  it('are told by the first failure', () => {
    const output = [
      'PASS sluice packages/core/test/a.test.ts',
      'FAIL sluice packages/core/test/b.test.ts (5.1 s)',
      '  A store › counts',
      '  ● A store › counts',
      '  ● A store › forgets',
    ].join('\n');
    expect(firstFailureIn(output)).toBe('packages/core/test/b.test.ts: A store › counts');
    expect(firstFailureIn('Killed')).toBeUndefined();
  });
});
