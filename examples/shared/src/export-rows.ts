import type { Clock } from '@sluice/core';

/** An export takes so long at least. */
export const EXPORT_MS = 2000;

const ROWS = 10;

/** A table that takes its time. */
export async function* exportRows(clock: Clock): AsyncGenerator<string> {
  yield 'row,square\n';
  for (let row = 1; row <= ROWS; row += 1) {
    await clock.sleep(EXPORT_MS / ROWS);
    yield `${row},${row * row}\n`;
  }
}
