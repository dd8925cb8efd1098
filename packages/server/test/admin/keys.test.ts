import { describe, expect, it } from '@jest/globals';
import { hashedCustomer, readPolicyFile } from '@sluice/config';
import { headerKey, ipKey } from '@sluice/core/http';
import { encodeKey } from '@sluice/core/values';
import type { GivenKey } from '../../src/admin/keys/given-key.js';
import { resolveKey } from '../../src/admin/keys/resolve-key.js';
import { shownKey } from '../../src/admin/keys/shown-key.js';
import { FILE } from './running-admin.js';

const { file } = readPolicyFile(FILE);

function resolved(policy: string, key?: GivenKey) {
  const rule = file?.policies.get(policy);
  if (!file || !rule) throw new Error(`no policy ${policy}`);
  return resolveKey(file, rule, key);
}

describe('a key', () => {
  it.each<[policy: string, given: GivenKey | undefined, key: unknown, limits: readonly string[]]>([
    ['api', 'acme', headerKey('x-api-key', 'acme'), ['minute']],
    ['api', hashedCustomer('acme'), headerKey('x-api-key', 'acme'), ['minute']],
    ['api', { customer: 'acme' }, headerKey('x-api-key', 'acme'), ['minute']],
    ['api', { address: '2001:db8::1' }, ipKey('2001:db8::1'), ['address']],
    ['login', '203.0.113.7', ipKey('203.0.113.7'), ['minute']],
    ['login', '::ffff:203.0.113.7', ipKey('203.0.113.7'), ['minute']],
    ['login', '2001:db8:1:200::/56', ipKey('2001:db8:1:200::1'), ['minute']],
    ['search', { user: 7, client: '2001:db8::1' }, [7, ipKey('2001:db8::1', 64)], ['minute']],
    ['search', { client: '203.0.113.7', user: '7' }, ['7', ipKey('203.0.113.7')], ['minute']],
    ['all', undefined, ['everyone'], ['second']],
  ])('of %s that is written as %j is the one that the store has', (policy, given, key, limits) => {
    expect(resolved(policy, given)).toMatchObject({ key, limits });
  });

  it.each<[policy: string, given: GivenKey | undefined, detail: RegExp]>([
    ['api', undefined, /^\/key is required: it counts by the value of customer, or by {"address"}$/],
    ['api', 7, /^\/key must be text: the value of the header field X-Api-Key$/],
    ['api', { customer: 'a', address: '::1' }, /^\/key must fit the policy: it counts by/],
    ['api', { custmer: 'acme' }, /^\/key must fit the policy/],
    ['login', 'acme', /^\/key must be an IP address; IPv6 counts by subnets of 56 bits$/],
    ['login', '2001:db8::/64', /^\/key must be an IP address/],
    ['login', '010.0.0.1', /^\/key must be an IP address/],
    ['search', 'ann', /^\/key must fit the policy: it counts by {"user", "client"}$/],
    ['search', { user: 'ann', client: 'x' }, /^\/key\/client must be an IP address/],
    ['all', 'ann', /^\/key must fit the policy: it counts by no key$/],
  ])('of %s cannot be %j', (policy, given, detail) => {
    expect(() => resolved(policy, given)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(detail) }),
    );
  });

  it('that nobody has counts by address, and a block of it would refuse nobody', () => {
    const known = readPolicyFile(FILE.replace('key: customer\n', 'key: customer\n    unknownCustomer: address\n')).file;
    const rule = known?.policies.get('api');
    if (!known || !rule) throw new Error('the file has mistakes');
    expect(resolveKey(known, rule, 'acme').key).toEqual(headerKey('x-api-key', 'acme'));
    expect(() => resolveKey(known, rule, 'stranger')).toThrow('/key must be a customer of the file');
  });

  it.each<[policy: string, given: GivenKey, names: readonly string[], shown: unknown]>([
    ['api', 'acme', ['customer'], hashedCustomer('acme')],
    ['login', '2001:db8::1', ['address'], '2001:db8::/56'],
    ['search', { user: 'ann', client: '203.0.113.7' }, ['user', 'client'], { user: 'ann', client: '203.0.113.7' }],
    ['search', { user: 7, client: '::1' }, ['user', 'client'], { user: 7, client: '::/64' }],
  ])('of %s that is shown can be written again', (policy, given, names, shown) => {
    const { key } = resolved(policy, given);
    expect(shownKey(encodeKey(key), names)).toEqual(shown);
    expect(resolved(policy, shown as GivenKey).key).toEqual(key);
  });
});
