import { expect, it } from '@jest/globals';
import { namedAfter } from '../src/named-after.js';

type Policy = string | { name?: string };

it.each<[what: string, policies: Policy[], others: Policy[], named: Policy[]]>([
  ['options after their place', [{}], [], [{ name: 'Auth.login' }]],
  ['a second one there by its number', [{}, {}], [], [{ name: 'Auth.login' }, { name: 'Auth.login-2' }]],
  ['one that comes later by its number', [{}], [{ name: 'Auth.login' }], [{ name: 'Auth.login-2' }]],
  ['no names', ['login', {}], [], ['login', { name: 'Auth.login' }]],
  ['nothing that has a name', [{ name: 'own' }, {}], [{ name: 'other' }], [{ name: 'own' }, { name: 'Auth.login' }]],
])('A place names %s', (_, policies, others, named) => {
  expect(namedAfter('Auth.login', policies, others)).toEqual(named);
});

it('Naming does not change the options', () => {
  const options = Object.freeze({});
  expect(namedAfter('Auth.login', [options], [])).not.toContain(options);
});

it.each([[5], [undefined], [['login']]])('Naming refuses %j, which is neither a name nor options', (wrong) => {
  const error = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'Auth.login' });
  expect(() => namedAfter('Auth.login', [wrong as Policy], [])).toThrow(error);
});
