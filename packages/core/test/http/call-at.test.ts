import { expect, it } from '@jest/globals';
import { callAt, Invocation, NOBODY } from '@sluice/core/http';

it('An object carries one call, and hides it from those who look through it', () => {
  const [one, other] = [{}, {}];
  const callOf = (bearer: object) => callAt(bearer, () => new Invocation(NOBODY));
  expect(callOf(one)).toBe(callOf(one));
  expect(callOf(other)).not.toBe(callOf(one));
  expect(JSON.stringify(one)).toBe('{}');
});
