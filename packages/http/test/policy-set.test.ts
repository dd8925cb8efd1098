import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryStore } from '@sluice/core';
import { createEnforcer, type Enforcer, type HttpOptions, PolicySet } from '@sluice/core/http';

type Options = HttpOptions<[]>;

const host = { requestOf: () => ({ method: 'GET', url: '/', headers: {} }), proxyTrust: () => 'none' as const };
const minute = (limit: number) => ({ limit, window: '1m' }) as const;

describe('A set of policies', () => {
  /** The options that policies were made of. */
  let made: Options[];
  beforeEach(() => {
    made = [];
  });
  const setOf = (shared: Partial<Options>) =>
    new PolicySet<Options, Enforcer<[]>>(shared, (options, owner) => {
      made.push(options);
      return createEnforcer(options, host, owner);
    });

  it('makes the policy of options at the first call', () => {
    const policies = setOf(minute(9));
    const login = { name: 'login', ...minute(1) };
    expect(policies.get(login)).toBe(policies.get(login));
    expect(made).toHaveLength(1);
  });

  it('has one store, and makes a MemoryStore if there is none', () => {
    const policies = setOf(minute(9));
    policies.default({});
    policies.get({ name: 'login' });
    expect(made[0]?.store).toBeInstanceOf(MemoryStore);
    expect(made[1]?.store).toBe(made[0]?.store);
  });

  it('lets policies inherit options that they do not set', () => {
    setOf({ ...minute(9), message: 'later' }).get({ name: 'login', ...minute(1) });
    expect(made).toMatchObject([{ name: 'login', limit: 1, message: 'later' }]);
  });

  it.each<[what: string, shared: object]>([
    ['elastic', { elastic: { upTo: 15, while: { isCalm: true } } }],
    ['slowDown and waiting', { slowDown: { after: 8, by: 1, upTo: 1 }, waiting: 3 }],
    [
      'guarantee and lend',
      { guarantee: { limit: 2, keyGenerator: () => 'a', total: 8 }, lend: 1, keyGenerator: () => 'b' },
    ],
  ])('makes policies with limits of their own beside one with %s', (_, shared) => {
    const policies = setOf({ ...minute(9), ...shared });
    policies.default({});
    policies.get({ name: 'login', ...minute(1) });
    policies.get({ name: 'search', limits: [minute(2)] });
    policies.get({ name: 'tiers', limit: () => 3, window: '1m' });
    policies.get({ name: 'same', message: 'later' });
    expect(made).toHaveLength(5);
    expect(made[4]).toMatchObject(shared);
  });

  it('makes an unnamed policy, which inherits and is not found by its name', () => {
    const policies = setOf(minute(9));
    const options = { name: 'search' };
    expect(policies.createUnnamed(options)).not.toBe(policies.createUnnamed(options));
    expect(made).toMatchObject([
      { name: 'search', limit: 9 },
      { name: 'search', limit: 9 },
    ]);
    expect(() => policies.named('search')).toThrow('there is no policy named "search"');
    expect(() => policies.createUnnamed([] as object)).toThrow(expect.objectContaining({ path: 'options' }));
  });

  it('finds policies by name and alias, and lists these if there is none', () => {
    const policies = setOf({ name: 'site', ...minute(9) });
    const own = policies.default({}, 'default');
    const login = policies.get({ name: 'login', ...minute(1) });
    expect([policies.named('site'), policies.named('default'), policies.named('login')]).toEqual([own, own, login]);
    expect(() => policies.named('logon')).toThrow('there is no policy named "logon": they are default, site, login');
  });

  it('names the policy of a wrong option, if it has a name', () => {
    const policies = setOf({});
    const wrong = { name: 'login', limit: 1, window: 0 };
    const error = expect.objectContaining({ code: 'SLUICE_OPTION', path: 'window', received: 0 });
    expect(() => policies.get(wrong)).toThrow(error);
    expect(() => policies.get(wrong)).toThrow(/^of the policy "login", window must be [^()]* \(SLUICE_OPTION\)$/);
    expect(() => policies.get({ limit: 1, window: 0 })).toThrow(/^window must be/);
    expect(() => policies.get({ name: 'login', window: '1m' })).toThrow(
      /^of the policy "login", window needs the option limit/,
    );
  });

  it('claims names for the objects of the user, so that it can be built again on a store', () => {
    const shared = { ...minute(9), store: new MemoryStore() };
    const written = {};
    setOf(shared).get({ name: 'login' }, written);
    expect(() => setOf(shared).get({ name: 'login' }, written)).not.toThrow();
    expect(() => setOf(shared).get({ name: 'login' })).toThrow(
      expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' }),
    );
  });
});
