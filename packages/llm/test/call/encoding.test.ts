import { describe, expect, it } from '@jest/globals';
import { readCall } from '../../src/call/read-call.js';
import { encodingOf } from '../../src/call/tokens/encoding.js';
import { UNMADE, WordMachine } from '../../src/call/tokens/word-machine.js';
import { LANGUAGES } from './languages.js';

describe('the encoding that an estimate follows', () => {
  it.each([
    'gpt-4',
    'gpt-4-0613',
    'gpt-4-turbo-2024-04-09',
    'gpt-3.5-turbo',
    'gpt-35-turbo',
    'openai/gpt-4',
    'ft:gpt-3.5-turbo:team::id',
    'text-embedding-3-large',
    'text-embedding-ada-002',
    'davinci-002',
  ])('is cl100k_base for %s', (model) => {
    expect(encodingOf(model)).toBe('cl100k_base');
  });

  it.each([
    'gpt-4o',
    'gpt-4.1-mini',
    'gpt-4.5-preview',
    'gpt-5.6',
    'o3',
    'chatgpt-4o-latest',
    'openai/gpt-oss-120b',
    'claude-opus-5',
    'gemini-3-pro',
    'text-embedding-004',
    'not-gpt-4',
  ])('is o200k_base for %s', (model) => {
    expect(encodingOf(model)).toBe('o200k_base');
  });

  it('is chosen by the model of the call', () => {
    const input = LANGUAGES.find(({ name }) => name === 'Georgian')?.fitted.text;
    const { input: newer } = readCall({ model: 'gpt-5.6', input });
    const { input: older } = readCall({ model: 'gpt-4', input });
    expect(older / newer).toBeGreaterThan(4);
  });
});

describe('the table of words', () => {
  it.each(['o200k_base', 'cl100k_base'] as const)(
    'has room for all states of %s, and no cost below nothing',
    (encoding) => {
      const { cells, columns, reached } = allCells(new WordMachine(encoding));
      expect(Math.max(...reached)).toBeLessThan(UNMADE);
      expect(reached.size * columns).toBeLessThanOrEqual(UNMADE);
      for (const row of reached) {
        for (const cell of cells.subarray(row, row + columns)) expect(reached.has(cell >> 10)).toBe(true);
      }
    },
  );
});

/** Makes all cells of a table that a text may reach. */
function allCells(machine: WordMachine): { cells: Int32Array; columns: number; reached: Set<number> } {
  const columns = 32;
  const reached = new Set([0]);
  for (const row of reached) {
    for (let column = 0; column < columns; column++) reached.add(machine.make(row, column));
  }
  return { cells: machine.cells, columns, reached };
}
