import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import test from 'node:test';

const require = createRequire(import.meta.url);

const ENTRY_POINTS = [
  '@sluice/conformance',
  '@sluice/core',
  '@sluice/core/application',
  '@sluice/core/distributed',
  '@sluice/core/load',
  '@sluice/core/http',
  '@sluice/core/store',
  '@sluice/core/testing',
  '@sluice/core/values',
  '@sluice/redis',
  '@sluice/express',
  '@sluice/express/store-of',
  '@sluice/fastify',
  '@sluice/fetch',
  '@sluice/hono',
  '@sluice/koa',
  '@sluice/nestjs',
  '@sluice/client',
  '@sluice/client/undici',
  '@sluice/llm',
  '@sluice/llm/ai-sdk',
  '@sluice/llm/fetch',
  '@sluice/llm/testing',
];

for (const entryPoint of ENTRY_POINTS) {
  test(`${entryPoint} exports the same names to import and to require`, async () => {
    const imported = Object.keys(await import(entryPoint));
    const required = Object.keys(require(entryPoint)).filter((name) => name !== '__esModule');
    assert.deepEqual(required.sort(), imported.sort());
    assert.notEqual(imported.length, 0);
  });
}
