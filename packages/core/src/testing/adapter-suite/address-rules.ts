import assert from 'node:assert/strict';
import { limitFields } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import { recordedWarnings } from './recorded-warnings.js';
import { OK, type Rules, type Stage } from './stage.js';

const ONE = { limit: 1, window: '1m' } as const;
const BEHIND_A_PROXY = { trustsLoopback: true } as const;

const from = (stage: Stage, addresses: string): Promise<number> =>
  stage.get('/', { 'x-forwarded-for': addresses }).then(({ status }) => status);

/** By whose address a request is counted. */
export const addressRules: Rules = {
  'counts by the address that a trusted proxy tells, without a warning': async (stage) => {
    const codes = await recordedWarnings(async () => {
      await stage.serve([ONE], () => OK, BEHIND_A_PROXY);
      assert.equal(await from(stage, '203.0.113.7'), 200);
      assert.equal(await from(stage, '203.0.113.8'), 200);
      // What the client itself has written before is not believed.
      assert.equal(await from(stage, '198.51.100.1, 203.0.113.7'), 429);
      assert.deepEqual(await stage.statuses(2), [200, 429]);
    });
    assert.deepEqual(codes, []);
  },

  'counts the addresses of an IPv6 network together, and an IPv4 address in all its spellings': async (stage) => {
    await stage.serve([ONE], () => OK, BEHIND_A_PROXY);
    assert.equal(await from(stage, '2001:db8:0:100::1'), 200);
    assert.equal(await from(stage, '2001:db8:0:1ff::2'), 429);
    assert.equal(await from(stage, '2001:db8:0:200::1'), 200);
    assert.equal(await from(stage, '203.0.113.7'), 200);
    assert.equal(await from(stage, '::ffff:203.0.113.7'), 429);
  },

  'looks for the address that a trusted proxy tells on the lists': async (stage) => {
    const lists = { allowList: ['203.0.113.0/24'], denyList: ['198.51.100.7'] };
    await stage.serve([{ ...ONE, ...lists }], () => OK, BEHIND_A_PROXY);
    const allowed = await stage.get('/', { 'x-forwarded-for': '203.0.113.7' });
    assert.deepEqual([allowed.status, limitFields(allowed)], [200, {}]);
    assert.equal(await from(stage, '198.51.100.7'), 403);
    assert.deepEqual(await stage.statuses(2), [200, 429]);
  },

  'believes no proxy that is not trusted, and warns once': async (stage) => {
    const codes = await recordedWarnings(async () => {
      await stage.serve([ONE]);
      assert.deepEqual(await stage.statuses(1), [200]);
      assert.equal(await from(stage, '203.0.113.7'), 429);
      assert.equal(await from(stage, '203.0.113.8'), 429);
    });
    assert.deepEqual(codes, ['SLUICE_PROXY_UNTRUSTED']);
  },

  'warns once of a keyGenerator that has not answered for 20 requests': async (stage) => {
    const codes = await recordedWarnings(async () => {
      await stage.serve((tools) => [{ limit: 50, window: '1m', keyGenerator: headerReader(tools)('x-client') }]);
      await stage.statuses(30);
    });
    assert.deepEqual(codes, ['SLUICE_KEY_ABSENT']);
  },
};
