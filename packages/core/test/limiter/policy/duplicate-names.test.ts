import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type PolicyOptions, type Store } from '@sluice/core';
import { emittedWarnings } from '@sluice/test-kit/emitted-warnings';
import { manualStore } from '@sluice/test-kit/manual-store';
import { Keyspace } from '../../../src/stores/keyspace.js';

const ten: PolicyOptions<[subject: string], false> = { limit: 10, window: '1m' };

describe('On one store', () => {
  it('a policy name belongs to one options object', () => {
    const store = new MemoryStore();
    createLimiter({ ...ten, name: 'api', store });
    expect(() => createLimiter({ ...ten, name: 'api', store })).toThrow(
      expect.objectContaining({
        code: 'SLUICE_DUPLICATE_NAME',
        path: 'name',
        received: 'api',
        message: 'the store already has a policy named "api": give one of the two another name (SLUICE_DUPLICATE_NAME)',
      }),
    );
    expect(createLimiter({ ...ten, name: 'other', store }).name).toBe('other');
  });

  it("two policies without a name are both 'default', and so refused", () => {
    const store = new MemoryStore();
    createLimiter({ ...ten, store });
    expect(() => createLimiter({ ...ten, store })).toThrow(
      expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME', received: 'default' }),
    );
  });

  it('the same options object shares its counters', () => {
    const options = { ...ten, store: manualStore().store };
    createLimiter(options).consume('ann', { cost: 4 });
    expect(createLimiter(options).peek('ann').tightest.remaining).toBe(6);
  });

  it('the same owner shares its counters, whatever the options object is', () => {
    const { store } = manualStore();
    const owner = {};
    createLimiter({ ...ten, name: 'api', store }, owner).consume('ann', { cost: 4 });
    const again = createLimiter({ ...ten, limit: 20, name: 'api', store }, owner);
    expect(again.peek('ann').tightest.remaining).toBe(16);
  });

  it('another owner is refused, also the options object of the first', () => {
    const { store } = manualStore();
    const options = { ...ten, name: 'api', store };
    createLimiter(options, {});
    const taken = expect.objectContaining({ code: 'SLUICE_DUPLICATE_NAME' });
    expect(() => createLimiter(options, {})).toThrow(taken);
    expect(() => createLimiter(options)).toThrow(taken);
  });

  it.each(['api', 7, null, true])('an owner that is no object is refused: %p', (owner) => {
    const { store } = manualStore();
    expect(() => createLimiter({ ...ten, store }, owner as unknown as object)).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'owner', received: owner }),
    );
    expect(createLimiter({ ...ten, store }).name).toBe('default');
  });

  it('policies with different names count separately', () => {
    const { store } = manualStore();
    createLimiter({ limits: [ten], name: 'one', store }).consume('ann', { cost: 4 });
    expect(createLimiter({ limits: [ten], name: 'two', store }).peek('ann').tightest.remaining).toBe(10);
  });

  it('a policy that was refused does not use its name', () => {
    const store = new MemoryStore();
    expect(() => createLimiter({ limit: -1, window: '1m', name: 'api', store })).toThrow();
    expect(createLimiter({ ...ten, name: 'api', store }).name).toBe('api');
  });
});

describe('Without a store', () => {
  it('each limiter counts separately, even with the same name or options', () => {
    createLimiter(ten).consume('ann', { cost: 4 });
    expect(createLimiter(ten).peek('ann').tightest.remaining).toBe(10);
  });
});

it('On two stores that turn out to count in one place, a policy name is warned about once, with advice', () => {
  const warnings = emittedWarnings();
  const advice = { place: 'this client', suggestion: 'give one of the stores another prefix' };
  for (const description of [advice, undefined, undefined]) {
    const keyspace = new Keyspace({}, description);
    const store: Store<false> = Object.assign(new MemoryStore(), { keyspaces: [keyspace] });
    createLimiter({ ...ten, name: 'api', store });
    keyspace.identify('one server');
  }
  expect(warnings).toMatchObject([{ code: 'SLUICE_NAME_SHARED' }]);
  expect(warnings[0]?.message).toMatch(/another name\. If/);
  const [one, other] = [new Keyspace({}), new Keyspace({}, advice)].map((keyspace) => {
    createLimiter({ ...ten, name: 'login', store: Object.assign(new MemoryStore(), { keyspaces: [keyspace] }) });
    return keyspace;
  });
  one?.identify('another server');
  other?.identify('another server');
  expect(warnings[1]?.message).toContain('another name, or give one of the stores another prefix. If');
});
