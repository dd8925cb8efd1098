import { checkObject } from '@sluice/core/values';

/**
 * Gives options without a name the name of their place: `Auth.login`, and `Auth.login-2` for the second in this place.
 * The name is the same in every process.
 *
 * @param policies - names or options, as they are in the decorator
 * @param others - those that were named in this place before
 * @throws SluiceError `SLUICE_OPTION` if one is neither a name nor options
 * @example namedAfter('Auth.login', ['burst', { limit: 5, window: '15m' }], []) // ['burst', { name: 'Auth.login', ... }]
 */
export function namedAfter<Name extends string, Options extends object>(
  owner: string,
  policies: readonly (Name | Options)[],
  others: readonly (Name | Options)[],
): (Name | Options)[] {
  let number = others.filter((other) => typeof other === 'object' && nameOf(other)?.startsWith(owner)).length;
  return policies.map((policy) => {
    if (typeof policy === 'string') return policy;
    checkObject(policy, owner);
    if (nameOf(policy) !== undefined) return policy;
    number += 1;
    return { ...policy, name: number === 1 ? owner : `${owner}-${number}` };
  });
}

function nameOf(options: { readonly name?: string }): string | undefined {
  return options.name;
}
