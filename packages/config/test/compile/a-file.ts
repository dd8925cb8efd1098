import type { LimitRule, PolicyFile, PolicyRule } from '@sluice/config';
import { slidingWindow } from '@sluice/core';

/** A tiered limit without options of its own. */
export const LIMIT: LimitRule = {
  name: 'minute',
  limit: undefined,
  tiered: true,
  variants: undefined,
  key: undefined,
  cost: undefined,
  enforce: undefined,
  quotaUnit: undefined,
  tolerance: undefined,
  slowDown: undefined,
  guarantee: undefined,
};

/** A policy of 60 requests a minute for each API key. */
export const POLICY: PolicyRule = {
  name: 'api',
  match: undefined,
  allowList: [],
  denyList: [],
  key: ['customer'],
  unknownCustomer: undefined,
  tier: { from: 'customers', default: 'free' },
  limits: [LIMIT],
  cost: { from: 'constant', units: 1 },
  onStoreError: 'local',
  enforce: undefined,
  rollout: [],
  brake: undefined,
};

/** A limit of a minute. */
export const perMinute = (limit: number) => slidingWindow({ limit, window: '1m' });

/** Returns a checked file with one policy, `api`, and two tiers: 3 requests a minute, and 10. */
export function aFile(policy: Partial<PolicyRule> = {}, file: Partial<PolicyFile> = {}): PolicyFile {
  return {
    enforcement: 'on',
    accept: undefined,
    keys: new Map([
      ['customer', { from: 'header', header: 'X-Api-Key' }],
      ['client', { from: 'ip', ipv6Subnet: 56 }],
      ['user', { from: 'code' }],
      ['all', { from: 'everyone' }],
    ]),
    tiers: new Map([
      ['free', new Map([['minute', perMinute(3)]])],
      ['pro', new Map([['minute', perMinute(10)]])],
    ]),
    customers: new Map(),
    policies: new Map([['api', { ...POLICY, ...policy }]]),
    ...file,
  };
}

/** A request as adapters pass it. */
export const aRequest = (headers: Readonly<Record<string, string>> = {}, ip = '203.0.113.7') => ({
  method: 'GET',
  url: '/',
  headers,
  ip,
});
