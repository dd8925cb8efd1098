import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLimiter, everyone, type SluiceEvents, subscribe, systemClock } from '@sluice/core';
import { OutsidePolicy } from '@sluice/core/http';
import { type TopRefused, type TopRefusedOptions, topRefused } from '../src/index.js';

let top: TopRefused;
afterEach(() => top?.stop());

function started(options?: TopRefusedOptions): TopRefused {
  top = topRefused(options);
  return top;
}

const hashed = (key: string): string => createHash('sha256').update(key).digest('base64url');

describe('topRefused', () => {
  it('lists refused keys by the limit that refused them, with hashed keys', () => {
    const limiter = createLimiter({ name: 'api', limits: [{ name: 'minute', limit: 2, window: '1m' }] });
    started();
    for (const [key, times] of Object.entries({ ann: 5, bob: 9, cy: 1 })) {
      for (let i = 0; i < times; i += 1) limiter.consume(key);
    }
    expect(top.list()).toEqual([
      { policy: 'api', limit: 'minute', key: hashed('bob'), refusals: 7, maxError: 0 },
      { policy: 'api', limit: 'minute', key: hashed('ann'), refusals: 3, maxError: 0 },
    ]);
    expect(top.list(1)).toHaveLength(1);
    expect(top.total).toBe(10);
  });

  it('leaves out refusals of a decision service, whose keys are not known', () => {
    const limiter = createLimiter({ name: 'remote', limit: 0, window: '1m' });
    started();
    const policy = new OutsidePolicy('remote', systemClock);
    policy.record(policy.decisionOf(limiter.peek('ann').verdicts, 'store'), 0);
    expect(top.list()).toEqual([]);
  });

  it('shows of a key what describeKey says, and hashes as events do', () => {
    const events: SluiceEvents['sluice:decision'][] = [];
    const stop = subscribe('sluice:decision', (event) => events.push(event));
    const limiter = createLimiter({ limit: 1, window: '1m' });
    const plain = topRefused({ describeKey: (key) => key });
    started();
    for (const key of ['ann', 'ann', '~x', '~x']) limiter.consume(key);
    stop();
    plain.stop();
    expect(plain.list().map(({ key }) => key)).toEqual(['ann', '~s~x']);
    const refused = events.filter(({ decision }) => !decision.allowed);
    expect(top.list().map(({ key }) => key)).toEqual(refused.map(({ keys }) => keys[0]));
    expect(JSON.stringify(events)).not.toContain('ann');
  });

  it('counts each enforced limit that refused, by its own key', () => {
    const limiter = createLimiter({
      name: 'layers',
      limits: [
        { name: 'all', limit: 2, window: '1m', keyGenerator: everyone() },
        { name: 'each', limit: 1, window: '1m' },
        { name: 'trial', limit: 1, window: '1m', enforce: 0 },
      ],
    });
    started({ describeKey: (key) => key });
    for (const key of ['ann', 'bob', 'bob', 'bob']) limiter.consume(key);
    expect(top.list().map(({ limit, key, refusals }) => [limit, key, refusals])).toEqual([
      ['all', '~l8:everyone', 2],
      ['each', 'bob', 2],
    ]);
  });

  it('remembers as many keys as it should, of however many', () => {
    const limiter = createLimiter({ limit: 1, window: '1m' });
    started({ size: 10, describeKey: (key) => key });
    for (let i = 0; i < 5000; i += 1) {
      limiter.consume(`light ${i}`);
      limiter.consume(`light ${i}`);
      limiter.consume('heavy');
    }
    expect(top.list()).toHaveLength(10);
    const [heavy] = top.list(1);
    expect(heavy).toMatchObject({ key: 'heavy', refusals: 4999 });
    expect(top.total).toBe(9999);
  });

  it('forgets everything on reset, and hears nothing after stop', () => {
    const limiter = createLimiter({ limit: 1, window: '1m' });
    started();
    for (let i = 0; i < 3; i += 1) limiter.consume('ann');
    top.reset();
    expect([top.total, top.list()]).toEqual([0, []]);
    limiter.consume('ann');
    top.stop();
    limiter.consume('ann');
    expect(top.total).toBe(1);
  });

  it.each([
    [{ size: 0 }, 'size must be a whole number from 1 to 10000, got 0'],
    [{ size: 10_001 }, 'size must be a whole number from 1 to 10000, got 10001'],
    [{ describeKey: 'ip' }, 'describeKey must be a function, got "ip"'],
    [{ top: 5 }, 'top is not an option: the options are size, describeKey, got 5'],
  ])('refuses wrong options: %j', (options, message) => {
    expect(() => topRefused(options as never)).toThrow(`${message} (SLUICE_OPTION)`);
  });
});
