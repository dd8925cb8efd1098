import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { HTTP_OPTIONS } from '../../src/options/options.js';

const PAGE = readFileSync(join(__dirname, '../../../core/docs/options.md'), 'utf8');

describe('The page of the options', () => {
  it.each(HTTP_OPTIONS)('has a row for %s', (option) => {
    expect(PAGE).toMatch(new RegExp(`^\\|[^|]*\`${option}\`[^|]*\\|`, 'm'));
  });
});
