import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest } from '@jest/globals';
import { helpOf, SITE } from '@sluice/core/src/values/site';

/** A process warning, as its listeners would get it. */
export interface Warning {
  readonly message: string;
  readonly type: string;
  readonly code: string;
  readonly detail: string;
}

/** Keeps the process warnings of a test from being printed; returns the list that they go to. Jest hides the real process's events. */
export function emittedWarnings(): readonly Warning[] {
  const warnings: Warning[] = [];
  const emit = (message: unknown, options: unknown): void => {
    warnings.push({ message: String(message), ...(options as Omit<Warning, 'message'>) });
  };
  jest.spyOn(process, 'emitWarning').mockImplementation(emit);
  return warnings;
}

/** The one warning of a test, which names a page that is there. */
export function expectOnly(warnings: readonly Warning[], code: string, page: string): void {
  expect(warnings).toEqual([
    {
      type: 'SluiceWarning',
      code,
      message: expect.any(String),
      detail: `See ${SITE ? helpOf(code) : `node_modules/@sluice/core/docs/${page}`}`,
    },
  ]);
  expect(existsSync(join(__dirname, '../../../node_modules/@sluice/core/docs', page))).toBe(true);
}
