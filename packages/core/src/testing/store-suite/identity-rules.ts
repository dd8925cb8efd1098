import assert from 'node:assert/strict';
import { slidingWindow } from '../../algorithms/sliding/window.js';
import type { Check } from '../../stores/store.js';
import type { Rules } from './bench.js';
import { EVERY_LIMIT } from './every-limit.js';

const LIMIT = slidingWindow({ limit: 9, window: '1m' });

/** Texts that a careless composition of keys would confuse. */
const NAMES = ['a', 'a:b', 'b', 'a b', 'A', 'a{b}', '{a}', 'a|b', '\\', '"', '%61', 'a:', ':a', ':'];
const KEYS = [...NAMES, '', 'é', 'e\u0301', '\u0000', '💧', '~l1:a1:b', '1', '1:1', 'a\nb', 'toString', '__proto__'];

/** What a state belongs to. */
export const identityRules: Rules = {
  async 'counts every policy, name and key for itself'(bench) {
    const checks = new Map<string, Check>();
    const add = (policy: string, name: string, key: string): void => {
      checks.set(JSON.stringify([policy, name, key]), bench.check(LIMIT, { policy, name, key }));
    };
    for (const key of KEYS) add('p', 'n', key);
    for (const policy of NAMES) for (const name of NAMES) add(policy, name, 'a');
    for (const [what, check] of checks) {
      const { verdicts } = await bench.consume(check);
      assert.equal(verdicts[0]?.remaining, 8, `${what} has been touched by another`);
    }
  },

  async 'counts every algorithm for itself under the same name'(bench) {
    const seen = new Set<string>();
    for (const [id, limit] of bench.limits) {
      if (seen.has(limit.algorithm)) continue;
      seen.add(limit.algorithm);
      const fresh = await bench.remaining(bench.check(limit, { key: 'new' }));
      const { verdicts } = await bench.consume(bench.check(limit), { id });
      assert.equal(verdicts[0]?.remaining, fresh - 1, limit.algorithm);
    }
  },

  async 'says of an algorithm that it does not take that it cannot be asked about it'(bench) {
    for (const limit of Object.values(EVERY_LIMIT)) {
      if (bench.takes(limit)) continue;
      await bench.refusesWith('SLUICE_UNSUPPORTED', () =>
        bench.store.consume({ checks: [bench.check(limit)], id: 'a' }),
      );
    }
  },

  async 'answers the same key twice in one question under two names'(bench) {
    const { verdicts } = await bench.consume([bench.check(LIMIT, { name: 'x' }), bench.check(LIMIT, { name: 'y' })]);
    assert.deepEqual(
      verdicts.map(({ name, remaining }) => [name, remaining]),
      [
        ['x', 8],
        ['y', 8],
      ],
    );
  },
};
