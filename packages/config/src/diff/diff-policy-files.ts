import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import { limitWords } from '../words/limit-words.js';
import { diffCustomers } from './diff-customers.js';
import { addition, diffMaps, removal } from './diff-maps.js';
import { diffPolicies } from './diff-policies.js';
import { forgetsAs, forgetting } from './forgotten.js';
import { diffLimits } from './limit-settings.js';
import type { PolicyChange } from './policy-change.js';
import { keySettings } from './policy-settings.js';
import { diffSettings } from './settings.js';

/**
 * Returns every difference between two policy files, in words, with what is forgotten when the second one takes the place
 * of the first. The order is that of the files: enforcement, keys, tiers, customers, policies. `accept` is no difference.
 *
 * @example
 * const changes = diffPolicyFiles(old, next);
 * for (const { sentence, forgets } of changes) console.log(sentence, forgets ?? '');
 */
export function diffPolicyFiles(old: PolicyFile, next: PolicyFile): readonly PolicyChange[] {
  return [
    ...diffEnforcement(old, next),
    ...diffKeys(old, next),
    ...diffTiers(old, next),
    ...diffCustomers(old, next),
    ...diffPolicies(old, next),
  ];
}

const ENFORCEMENT: Readonly<Record<Enforcement, string>> = {
  on: 'limits refuse',
  shadow: 'requests are counted, and none is refused',
  off: 'no request is counted, and none is refused',
};

function diffEnforcement({ enforcement: from }: PolicyFile, { enforcement: to }: PolicyFile): PolicyChange[] {
  if (from === to) return [];
  const sentence = `Enforcement is ${to} instead of ${from}: ${ENFORCEMENT[to]}.`;
  return [{ path: 'enforcement', from, to, factor: undefined, sentence, forgets: undefined }];
}

function diffKeys(old: PolicyFile, next: PolicyFile): PolicyChange[] {
  return diffMaps(old.keys, next.keys, {
    removed: (name, { from }) => removal(`keys.${name}`, from, `Key ${name} is removed.`),
    added: (name, { from }) => addition(`keys.${name}`, from, `Key ${name} is new.`),
    changed: (name, was, is) => {
      const changes = diffSettings(`keys.${name}`, `Key ${name}`, keySettings(was), keySettings(is));
      return forgetting(changes, isUsed(old, name) ? 'all that was counted by this key' : undefined);
    },
  });
}

/** Whether anything is counted by a key. */
function isUsed({ policies }: PolicyFile, key: string): boolean {
  for (const policy of policies.values()) {
    if (policy.limits.some((limit) => (limit.key ?? policy.key).includes(key))) return true;
  }
  return false;
}

function diffTiers(old: PolicyFile, next: PolicyFile): PolicyChange[] {
  return diffMaps(old.tiers, next.tiers, {
    removed: (tier, was) => removal(`tiers.${tier}`, [...was.keys()].join(', '), `Tier ${tier} is removed.`),
    added: (tier, is) => addition(`tiers.${tier}`, [...is.keys()].join(', '), `Tier ${tier} is new.`),
    changed: (tier, was, is) =>
      diffMaps(was, is, {
        removed: (name, limit) =>
          removal(
            `tiers.${tier}.${name}`,
            limitWords(limit, 'unit'),
            `Tier ${tier}: limit ${name} is removed; it was ${limitWords(limit, 'unit')}.`,
          ),
        added: (name, limit) =>
          addition(
            `tiers.${tier}.${name}`,
            limitWords(limit, 'unit'),
            `Tier ${tier}: limit ${name} is new, ${limitWords(limit, 'unit')}.`,
          ),
        changed: (name, from, to) =>
          forgetting(diffLimits(`tiers.${tier}.${name}`, `Tier ${tier}, limit ${name}`, from, to), forgetsAs(from, to)),
      }),
  });
}
