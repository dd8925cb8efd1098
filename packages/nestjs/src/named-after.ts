import { checkObject } from '@sluice/core/http';

/**
 * Calls options without a name after the place where they stand, which is the same in every process: `Auth.login`, a second
 * one there `Auth.login-2`.
 *
 * @param policies - as they stand there: names, or options.
 * @param others - that were named in this place before.
 * @throws SluiceError `SLUICE_OPTION` for what is neither a name nor options
 * @example namedAfter('Auth.login', ['burst', { limit: 5, window: '15m' }], []) // ['burst', { name: 'Auth.login', ... }]
 */
export function namedAfter<Name extends string, Options extends { readonly name?: string }>(
  place: string,
  policies: readonly (Name | Options)[],
  others: readonly (Name | Options)[],
): (Name | Options)[] {
  let number = others.filter((other) => typeof other === 'object' && other.name?.startsWith(place)).length;
  return policies.map((policy) => {
    if (typeof policy === 'string') return policy;
    checkObject(policy, place);
    if (policy.name !== undefined) return policy;
    number += 1;
    return { ...policy, name: number === 1 ? place : `${place}-${number}` };
  });
}
