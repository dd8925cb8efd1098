import { expect, it } from '@jest/globals';
import { checkAddressless } from '../src/check-addressless.js';

it('A policy that counts by address is an error if there is none, and the error names the fixes', () => {
  const check = (countsByAddress: boolean) => () =>
    checkAddressless({ policy: 'login', countsByAddress }, 'Sums.sum takes messages', 'let them pass');
  expect(check(false)).not.toThrow();
  expect(check(true)).toThrow(
    expect.objectContaining({
      code: 'SLUICE_KEY',
      path: 'keyGenerator',
      message:
        'Sums.sum takes messages, which have no address to count by: give the policy "login" a keyGenerator, or let them pass (SLUICE_KEY)',
    }),
  );
});
