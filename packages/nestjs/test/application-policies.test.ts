import { describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createEnforcer } from '@sluice/core/http';
import { type ApplicationOptions, ApplicationPolicies } from '../src/application-policies.js';

const host = { requestOf: () => ({ method: 'GET', url: '/', headers: {} }), proxyTrust: () => 'none' as const };
const minute = (limit: number) => ({ limit, window: '1m' }) as const;

describe('The policies of an application', () => {
  const policiesOf = (options: ApplicationOptions<[]>, store = new MemoryStore()) => {
    const made: object[] = [];
    const policies = new ApplicationPolicies(options, store, (own, owner) => {
      made.push(own);
      return createEnforcer(own, host, owner);
    });
    return { policies, made };
  };

  it.each<[what: string, options: ApplicationOptions<[]>, defaults: string[]]>([
    ['a limit', minute(1), ['default']],
    ['limits', { limits: [minute(1)] }, ['default']],
    ['neither', { policies: { login: minute(1) } }, []],
  ])('include one for all handlers if there is %s', (_, options, defaults) => {
    expect(policiesOf(options).policies.defaults).toEqual(defaults);
  });

  it('are found by their names, by their keys in the options, and by their options', () => {
    const { policies } = policiesOf({
      ...minute(9),
      name: 'site',
      policies: { login: { ...minute(1), name: 'sign-in' } },
    });
    expect(policies.policy('default')).toBe(policies.policy('site'));
    expect(policies.policy('login')).toBe(policies.policy('sign-in'));
    const own = { ...minute(2), name: 'own' };
    expect(policies.policy(own)).toBe(policies.policy('own'));
  });

  it('inherit the top level, and share a store', () => {
    const store = new MemoryStore();
    const { made } = policiesOf({ ...minute(9), message: 'later', policies: { login: minute(1) } }, store);
    expect(made).toMatchObject([
      { limit: 9, message: 'later', store },
      { limit: 1, message: 'later', store, name: 'login' },
    ]);
  });

  it('can be made again from the same options, on the same store', () => {
    const [options, store] = [{ ...minute(9), policies: { login: minute(1) } }, new MemoryStore()];
    policiesOf(options, store);
    expect(() => policiesOf(options, store)).not.toThrow();
    expect(() => policiesOf({ ...options }, store)).toThrow(expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }));
  });

  it.each([
    [undefined, 'options'],
    [[minute(1)], 'options'],
    [{ policies: [minute(1)] }, 'policies'],
    [{ policies: { login: [minute(1)] } }, 'policies.login'],
    [{ policies: { login: 5 } }, 'policies.login'],
  ])('refuse a value that is no object: %j', (options, path) => {
    const error = expect.objectContaining({ code: 'SLUICE_OPTION', path });
    expect(() => policiesOf(options as object as ApplicationOptions<[]>)).toThrow(error);
  });

  it('refuse an unknown option, and say what was probably meant', () => {
    const policiesOfAny = (options: object) => () => policiesOf(options);
    expect(policiesOfAny({ nonsense: true })).toThrow('the page options.md of @sluice/core lists');
    expect(policiesOfAny({ policie: {} })).toThrow('policie is not an option: use policies');
    expect(policiesOfAny({ throttlers: [] })).toThrow('throttlers is not an option: use limits, got an empty array');
    expect(policiesOfAny({ window: '1m' })).toThrow('window needs the option limit, got "1m"');
  });
});
