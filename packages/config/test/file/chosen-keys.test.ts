import { describe, expect, it } from '@jest/globals';
import { chosenKeys, mistakeText, readPolicyFile } from '@sluice/config';

const MINUTE = 'name: minute, limit: 100, window: 1m';

const TIERS = 'tiers: { free: { address: unlimited }, paid: { address: { limit: 9, window: 1m } } }';

function fileOf(policy: string) {
  const { file, warnings, mistakes } = readPolicyFile(
    `version: 1
keys: { customer: { header: x-api-key }, tenant: { header: x-tenant }, user: code }
${policy.includes('tier: true') ? TIERS : ''}
policies:
  api: ${policy}
`,
    { origin: 'sluice.yaml' },
  );
  if (!file) throw new Error(mistakes?.map(mistakeText).join('\n'));
  return { file, warnings };
}

describe('A policy that a client passes by inventing keys', () => {
  it.each<[what: string, policy: string, path: string]>([
    ['a header as key', `{ key: customer, limits: [{ ${MINUTE} }] }`, 'policies.api.key'],
    ['a header beside the address', `{ key: [address, customer], limits: [{ ${MINUTE} }] }`, 'policies.api.key'],
    ['a header as key of its only limit', `{ limits: [{ ${MINUTE}, key: customer }] }`, 'policies.api.limits[0].key'],
    [
      'a header in another place than the customers',
      `{ key: [customer, tenant], tier: { from: customers }, limits: [{ ${MINUTE} }] }`,
      'policies.api.key',
    ],
    [
      'a limit by address that refuses nobody',
      `{ key: customer, limits: [{ ${MINUTE} }, { name: address, key: address, limit: 9, window: 1m, enforce: 0 }] }`,
      'policies.api.key',
    ],
    [
      'a limit by address of which requests spend nothing',
      `{ key: customer, limits: [{ ${MINUTE} }, { name: address, key: address, limit: 9, window: 1m, cost: 0 }] }`,
      'policies.api.key',
    ],
    [
      'a limit by address of which requests spend nothing by the policy',
      `{ key: customer, cost: 0, limits: [{ ${MINUTE}, cost: 1 }, { name: address, key: address, limit: 9, window: 1m }] }`,
      'policies.api.key',
    ],
    [
      'a limit by address whose variants are all unlimited',
      `{ key: customer, limits: [{ ${MINUTE} }, { name: address, key: address, variants: { a: { share: 0.5, algorithm: unlimited }, b: { share: 0.5, algorithm: unlimited } } }] }`,
      'policies.api.key',
    ],
    [
      'a limit by address that the default tier does not have',
      `{ key: customer, tier: { from: code, default: free }, limits: [{ ${MINUTE} }, { name: address, key: address, tier: true }] }`,
      'policies.api.key',
    ],
  ])('is warned about: %s', (_, policy, path) => {
    const { file, warnings } = fileOf(policy);
    expect(chosenKeys(file)).toHaveLength(1);
    expect(warnings.map((warning) => [warning.path, warning.line, warning.code])).toEqual([
      [path, 5, 'SLUICE_CHOSEN_KEY'],
    ]);
  });

  it('is told what to write', () => {
    const { warnings } = fileOf(`{ key: customer, limits: [{ ${MINUTE} }] }`);
    expect(warnings.map(mistakeText)).toEqual([
      'sluice.yaml:5:15 policies.api.key is what a client can choose: with each new value of the header x-api-key, all limits begin ' +
        'afresh. Add a limit by address, such as { name: address, key: address, limit: 1000, window: 1m }, or list the customers ' +
        'and write tier: { from: customers } (SLUICE_CHOSEN_KEY)',
    ]);
  });

  it.each([
    ['no key', `{ limits: [{ ${MINUTE} }] }`],
    ['a key of the program', `{ key: user, limits: [{ ${MINUTE} }] }`],
    [
      'a limit by address beside it',
      `{ key: customer, limits: [{ ${MINUTE} }, { name: address, key: address, limit: 9, window: 1m }] }`,
    ],
    [
      'a limit by address beside it that the default tier has',
      `{ key: customer, tier: { from: code, default: paid }, limits: [{ ${MINUTE} }, { name: address, key: address, tier: true }] }`,
    ],
    [
      'customers, where others count by address',
      `{ key: customer, tier: { from: customers }, limits: [{ ${MINUTE} }] }`,
    ],
    [
      'customers, where others are refused',
      `{ key: customer, unknownCustomer: refuse, tier: { from: customers }, limits: [{ ${MINUTE} }] }`,
    ],
    ['limits that refuse nobody', `{ key: customer, limits: [{ ${MINUTE}, enforce: 0 }] }`],
  ])('is not one with %s', (_, policy) => {
    const { file, warnings } = fileOf(policy);
    expect([chosenKeys(file), warnings]).toEqual([[], []]);
  });
});
