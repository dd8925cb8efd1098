import { type LimitCheck, slidingWindow } from '@sluice/core';
import * as assert from '../assert.js';
import { EVERY_LIMIT } from './every-limit.js';
import { atOnce, type Rules } from './store-fixture.js';

const LIMIT = slidingWindow({ limit: 9, window: '1m' });

/** Texts that a careless composition of keys would confuse. */
const NAMES = ['a', 'a:b', 'b', 'a b', 'A', 'a{b}', '{a}', 'a|b', '\\', '"', '%61', 'a:', ':a', ':'];
const KEYS = [...NAMES, '', 'é', 'e\u0301', '\u0000', '💧', '~l1:a1:b', '1', '1:1', 'a\nb', 'toString', '__proto__'];

/** The policy, name, key and algorithm that a state belongs to. */
export const identityRules: Rules = {
  async 'counts every policy, name and key separately'(fixture) {
    const checks = new Map<string, LimitCheck>();
    const add = (policy: string, name: string, key: string): void => {
      checks.set(JSON.stringify([policy, name, key]), fixture.check(LIMIT, { policy, name, key }));
    };
    for (const key of KEYS) add('p', 'n', key);
    for (const policy of NAMES) for (const name of NAMES) add(policy, name, 'a');
    await atOnce([...checks], async ([what, check]) => {
      const { verdicts } = await fixture.consume(check);
      assert.equal(verdicts[0]?.remaining, 8, `${what} was changed by another one`);
    });
  },

  async 'counts every algorithm separately under the same name'(fixture) {
    const seen = new Set<string>();
    for (const [id, limit] of fixture.limits) {
      if (seen.has(limit.algorithm)) continue;
      seen.add(limit.algorithm);
      const fresh = await fixture.remaining(fixture.check(limit, { key: 'new' }));
      const { verdicts } = await fixture.consume(fixture.check(limit), { id });
      assert.equal(verdicts[0]?.remaining, fresh - 1, limit.algorithm);
    }
  },

  async 'refuses an algorithm that it does not support with an error'(fixture) {
    for (const limit of Object.values(EVERY_LIMIT)) {
      if (fixture.takes(limit)) continue;
      await fixture.refusesWith('SLUICE_UNSUPPORTED', () =>
        fixture.store.consume({ checks: [fixture.check(limit)], id: 'a' }),
      );
    }
  },

  async 'decides about one key under two names in one ask'(fixture) {
    const { verdicts } = await fixture.consume([
      fixture.check(LIMIT, { name: 'x' }),
      fixture.check(LIMIT, { name: 'y' }),
    ]);
    assert.deepEqual(
      verdicts.map(({ name, remaining }) => [name, remaining]),
      [
        ['x', 8],
        ['y', 8],
      ],
    );
  },
};
