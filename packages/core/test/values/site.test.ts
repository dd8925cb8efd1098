import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, jest } from '@jest/globals';
import { helpOf, SITE } from '../../src/values/site.js';

const OWNER = join(__dirname, '../../../../.config/publish/owner.json');

afterEach(() => {
  jest.resetModules();
  jest.restoreAllMocks();
});

/** The modules, as they are once the owner has set the address. */
function withSite<T>(path: string): T {
  jest.doMock('../../src/values/site.js', () => ({
    SITE: 'https://sluice.example',
    helpOf: () => 'https://sluice.example/errors/X',
  }));
  return jest.requireActual<T>(path);
}

it('the address of the site is the one that the owner has set', () => {
  expect(SITE).toBe(JSON.parse(readFileSync(OWNER, 'utf8')).site);
});

it('each code has a page on the site, wherever that begins', () => {
  expect(helpOf('SLUICE_OPTION', 'https://sluice.example')).toBe('https://sluice.example/errors/SLUICE_OPTION');
  expect(helpOf('SLUICE_OPTION', 'https://pages.example/sluice/')).toBe(
    'https://pages.example/sluice/errors/SLUICE_OPTION',
  );
});

it('an error leads to its page once the site has an address, and its message stays the same', () => {
  const { SluiceError } = withSite<typeof import('../../src/values/error.js')>('../../src/values/error.js');
  const error = new SluiceError('SLUICE_COST', 'a cost must be whole');
  expect(error.help).toBe('https://sluice.example/errors/X');
  expect(error.message).toBe('a cost must be whole (SLUICE_COST)');
});

it('a warning leads to its page once the site has an address', () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { warn } = withSite<typeof import('../../src/values/warning.js')>('../../src/values/warning.js');
  warn('SLUICE_LIMIT_ZERO', 'text');
  expect(emitWarning).toHaveBeenCalledWith(
    'text',
    expect.objectContaining({ detail: 'See https://sluice.example/errors/X' }),
  );
});
