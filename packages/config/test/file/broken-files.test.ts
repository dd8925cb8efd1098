import { describe, expect, it } from '@jest/globals';
import { mistakeText, readPolicyFile } from '@sluice/config';
import { BROKEN_FILES } from './broken-files.js';

describe('a broken policy file', () => {
  it('is one of at least 50', () => {
    expect(BROKEN_FILES.length).toBeGreaterThanOrEqual(50);
    expect(new Set(BROKEN_FILES.map(({ title }) => title)).size).toBe(BROKEN_FILES.length);
  });

  it.each(BROKEN_FILES)('is refused with all mistakes at their places: $title', ({ text, mistakes }) => {
    const read = readPolicyFile(text, { origin: 'sluice.yaml' });
    expect(read.file).toBeUndefined();
    expect(read.mistakes?.map(mistakeText)).toEqual(
      mistakes.map(({ line, column, text: expected }) => `sluice.yaml:${line}:${column} ${expected}`),
    );
  });
});
