import type { PolicyFile, PolicyStatus } from '@sluice/config';
import { exactObject } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { keySetsOf, namesToGive } from '../keys/key-sets.js';
import { shownEnforcement } from './enforcement.js';

export const status = adminVerb({
  name: 'status',
  summary: 'Shows the policies that decide now, what their keys are, and how the last reload went.',
  access: 'read',
  schema: exactObject({}),
  run({ parts: { service, readiness } }) {
    const now = service.live.status();
    const { revision, origin, reloads, lastReload, rejected } = now;
    return {
      ready: readiness.isReady,
      degraded: readiness.degraded,
      revision,
      origin,
      enforcement: shownEnforcement(now),
      reloads,
      lastReload: {
        successful: lastReload.successful,
        succeededAt: new Date(lastReload.succeededAtMs).toISOString(),
      },
      ...(rejected && { rejected }),
      policies: policiesOf(service.live.file, now),
    };
  },
});

function policiesOf(file: PolicyFile, { limits, braked }: PolicyStatus): readonly object[] {
  return [...file.policies.values()].map((rule) => ({
    policy: rule.name,
    keys: keySetsOf(rule).map(({ names }) => namesToGive(names, file)),
    braked: braked.includes(rule.name),
    limits: limits.filter(({ policy }) => policy === rule.name).map(({ policy: _, ...limit }) => limit),
  }));
}
