import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from '@jest/globals';
import { storeSuite } from '@sluice/conformance';
import { EVERYTHING, PEEKS_OF_SHARED_CODE } from '@sluice/test-kit/store-claims';
import { transformSync } from '@swc/core';
import type { CompareAndSwapBackend } from '../../src/compare-and-swap/backend.js';
import { compareAndSwapStore } from '../../src/compare-and-swap/compare-and-swap-store.js';

const PAGE = readFileSync(join(__dirname, '../../../core/docs/writing-a-store.md'), 'utf8');

/** The backend that the page shows, without what the page does with it. */
function documentedBackend(): CompareAndSwapBackend {
  const [code] = /^class MapBackend[\s\S]*?^}/m.exec(PAGE) ?? [];
  const { code: script } = transformSync(code ?? '', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  return new Function(`${script} return new MapBackend();`)() as CompareAndSwapBackend;
}

let backend: CompareAndSwapBackend;

storeSuite(
  'The backend in writing-a-store.md',
  (clock) => {
    backend = documentedBackend();
    return compareAndSwapStore(backend, { clock });
  },
  EVERYTHING,
  { describe, it, beside: (clock) => compareAndSwapStore(backend, { clock }), peeks: PEEKS_OF_SHARED_CODE },
);
