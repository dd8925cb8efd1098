import * as assert from '../assert.js';
import { type AdapterFixture, OK, type Rules } from './adapter-fixture.js';
import { limitFields } from './answer-fields.js';
import { headerReader } from './header-reader.js';
import { recordedWarnings } from './recorded-warnings.js';

const ONE = { limit: 1, window: '1m' } as const;
const BEHIND_A_PROXY = { trustsLoopback: true } as const;

const from = (fixture: AdapterFixture, addresses: string): Promise<number> =>
  fixture.get('/', { 'x-forwarded-for': addresses }).then(({ status }) => status);

/** The address that a request is counted by. */
export const addressRules: Rules = {
  'counts by the address from a trusted proxy, without a warning': async (fixture) => {
    const codes = await recordedWarnings(async () => {
      await fixture.serve([ONE], () => OK, BEHIND_A_PROXY);
      assert.equal(await from(fixture, '203.0.113.7'), 200);
      assert.equal(await from(fixture, '203.0.113.8'), 200);
      // Addresses that the client itself wrote in front are not trusted.
      assert.equal(await from(fixture, '198.51.100.1, 203.0.113.7'), 429);
      assert.deepEqual(await fixture.statuses(2), [200, 429]);
    });
    assert.deepEqual(codes, []);
  },

  'counts the addresses of an IPv6 network together, and an IPv4 address in all notations': async (fixture) => {
    await fixture.serve([ONE], () => OK, BEHIND_A_PROXY);
    assert.equal(await from(fixture, '2001:db8:0:100::1'), 200);
    assert.equal(await from(fixture, '2001:db8:0:1ff::2'), 429);
    assert.equal(await from(fixture, '2001:db8:0:200::1'), 200);
    assert.equal(await from(fixture, '203.0.113.7'), 200);
    assert.equal(await from(fixture, '::ffff:203.0.113.7'), 429);
  },

  'uses the address from a trusted proxy for the address lists': async (fixture) => {
    const lists = { allowList: ['203.0.113.0/24'], denyList: ['198.51.100.7'] };
    await fixture.serve([{ ...ONE, ...lists }], () => OK, BEHIND_A_PROXY);
    const allowed = await fixture.get('/', { 'x-forwarded-for': '203.0.113.7' });
    assert.deepEqual([allowed.status, limitFields(allowed)], [200, {}]);
    assert.equal(await from(fixture, '198.51.100.7'), 403);
    assert.deepEqual(await fixture.statuses(2), [200, 429]);
  },

  'ignores an address from an untrusted proxy, and warns once': async (fixture) => {
    const codes = await recordedWarnings(async () => {
      await fixture.serve([ONE]);
      assert.deepEqual(await fixture.statuses(1), [200]);
      assert.equal(await from(fixture, '203.0.113.7'), 429);
      assert.equal(await from(fixture, '203.0.113.8'), 429);
    });
    assert.deepEqual(codes, ['SLUICE_PROXY_UNTRUSTED']);
  },

  'warns once if a keyGenerator has returned no key for 20 requests': async (fixture) => {
    const codes = await recordedWarnings(async () => {
      await fixture.serve((tools) => [{ limit: 50, window: '1m', keyGenerator: headerReader(tools)('x-client') }]);
      await fixture.statuses(30);
    });
    assert.deepEqual(codes, ['SLUICE_KEY_ABSENT']);
  },
};
