import { describe, expect, it } from '@jest/globals';
import { createLimiter, MemoryStore, type PolicyOptions } from '../../../src/index.js';
import { manualStore } from '../manual-store.js';

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
