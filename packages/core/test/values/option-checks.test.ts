import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
// The main entry brings the suggestions.
import '@sluice/core';
import { checkOptions } from '../../src/values/option-checks.js';

it.each([
  ['an emitter', new EventEmitter()],
  ['what has commands', { status: 'ready', call: async () => [] }],
])('A client instead of options gets a suggestion: %s', (_, client) => {
  expect(() => checkOptions(client, ['client', 'prefix'])).toThrow(
    'options must be an object of options, not a client: pass { client }, got an object (SLUICE_OPTION)',
  );
  expect(() => checkOptions({ client }, ['client', 'prefix'])).not.toThrow();
});
