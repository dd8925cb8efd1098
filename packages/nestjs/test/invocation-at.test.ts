import { expect, it } from '@jest/globals';
import { Invocation } from '../src/invocation.js';
import { invocationAt } from '../src/invocation-of.js';
import { NOBODY } from '../src/invocation-source.js';

it('An object carries one call, in a hidden property', () => {
  const [one, other] = [{}, {}];
  const callOf = (bearer: object) => invocationAt(bearer, () => new Invocation(NOBODY));
  expect(callOf(one)).toBe(callOf(one));
  expect(callOf(other)).not.toBe(callOf(one));
  expect(JSON.stringify(one)).toBe('{}');
});
