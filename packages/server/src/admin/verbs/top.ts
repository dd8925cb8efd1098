import { hash } from '@sluice/core/values';
import * as v from 'valibot';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { type ShownKey, shownKey } from '../keys/shown-key.js';
import { count, flag, policyName } from './fields.js';
import { namedPolicy } from './named-policy.js';

export const top = adminVerb({
  name: 'top',
  summary: 'Lists the keys that this instance has refused most since it started.',
  access: 'read',
  needsWrite: ({ reveal }) => reveal,
  schema: exactObject({
    policy: v.exactOptional(policyName),
    count: v.pipe(count(1000, 10), v.description('How many keys.')),
    reveal: v.pipe(
      flag,
      v.description(
        'Whether to show the keys, and not only their hashes. It needs a write token: keys tell who somebody is.',
      ),
    ),
  }),
  run({ input: { policy, count: most, reveal }, parts: { service, top: sketch } }) {
    if (policy !== undefined) namedPolicy(service, policy);
    const refused = sketch.list().filter((one) => policy === undefined || one.policy === policy);
    return {
      refusals: sketch.total,
      keys: refused.slice(0, most).map(({ key, ...counts }) => ({
        ...counts,
        key: reveal ? revealed(key, counts.policy, counts.limit) : hash(key),
      })),
    };

    function revealed(key: string, name: string, limit: string): ShownKey {
      const rule = service.live.file.policies.get(name);
      const own = rule?.limits.find((one) => limit === one.name || limit.startsWith(`${one.name}:`));
      return shownKey(key, own?.key ?? rule?.key ?? []);
    }
  },
});
