import { describe, expect, it } from '@jest/globals';
import { filesOf, type ScriptCoverage } from '../src/executed-files.js';

const script = (url: string, ...counts: number[]): ScriptCoverage => ({
  url,
  functions: counts.map((count) => ({ ranges: [{ count }] })),
});

describe('the files of a request', () => {
  it('are files of our packages with a called function', () => {
    const coverage = [
      script('file:///sluice/packages/redis/dist/esm/redis-store.js', 0, 2, 0),
      script('file:///sluice/packages/core/dist/esm/values/key.js', 1),
      script('file:///sluice/packages/core/dist/esm/values/duration.js', 0),
      script('file:///sluice/packages/bench/dist/main.js', 1),
      script('file:///sluice/node_modules/express/index.js', 1),
      script('node:http', 1),
    ];
    expect(filesOf(coverage)).toEqual(['core/values/key.ts', 'redis/redis-store.ts']);
  });
});
