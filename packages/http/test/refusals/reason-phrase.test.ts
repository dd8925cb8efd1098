import { STATUS_CODES } from 'node:http';
import { expect, it } from '@jest/globals';
import { reasonPhrase } from '../../src/refusals/reason-phrase.js';

it('Every status of an error has the phrase that Node has for it', () => {
  const statuses = Array.from({ length: 200 }, (_, i) => 400 + i);
  expect(statuses.map(reasonPhrase)).toEqual(statuses.map((status) => STATUS_CODES[status]));
});
