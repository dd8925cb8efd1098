import { describe, expect, it } from '@jest/globals';
import { calledIn, calledInBoth, type ScriptCoverage } from '../src/called-functions.js';

const script = (url: string, counts: Readonly<Record<string, number>>): ScriptCoverage => ({
  url,
  functions: Object.entries(counts).map(([functionName, count], startOffset) => {
    return { functionName, ranges: [{ startOffset, count }] };
  }),
});

const REDIS = 'file:///sluice/packages/redis/dist/esm/redis-store.js';
const KEY = 'file:///sluice/packages/core/dist/esm/values/key.js';

describe('The functions of a request', () => {
  it('are those of our packages that were called', () => {
    const coverage = [
      script(REDIS, { consume: 0, ask: 2, adjust: 0 }),
      script(KEY, { encodeKey: 1 }),
      script('file:///sluice/packages/core/dist/esm/values/duration.js', { duration: 0 }),
      script('file:///sluice/packages/bench/dist/main.js', { main: 1 }),
      script('file:///sluice/node_modules/express/index.js', { handle: 1 }),
      script('node:http', { request: 1 }),
    ];
    expect(calledIn(coverage)).toEqual([
      { file: 'redis/redis-store.ts', name: 'ask', offset: 1, calls: 2 },
      { file: 'core/values/key.ts', name: 'encodeKey', offset: 0, calls: 1 },
    ]);
  });

  it('are those of each request, without what a timer calls beside one of them', () => {
    const one = calledIn([script(KEY, { encodeKey: 3, hash: 1 })]);
    const other = calledIn([script(KEY, { encodeKey: 2 }), script(REDIS, { ask: 1 })]);
    expect(calledInBoth(one, other)).toEqual([{ file: 'core/values/key.ts', name: 'encodeKey', offset: 0, calls: 2 }]);
  });
});
