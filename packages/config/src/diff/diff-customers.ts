import type { CustomerRule, Override, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { limitWords } from '../words/limit-words.js';
import { dateWords } from '../words/words.js';
import { customerLimit } from './customer-limit.js';
import { addition, diffMaps, removal } from './diff-maps.js';
import { forgetsAs, forgetting } from './forgotten.js';
import { diffLimits } from './limit-settings.js';
import type { PolicyChange } from './policy-change.js';
import { diffSettings, type Settings, text } from './settings.js';

/** Returns what differs for customers. */
export function diffCustomers(old: PolicyFile, next: PolicyFile): PolicyChange[] {
  const counted = countedByAddress(old, next);
  return diffMaps(old.customers, next.customers, {
    removed: (name, was) =>
      removal(`customers.${name}`, customerText(was), `Customer ${name} is removed${endedBlock(was)}.`, counted),
    added: (name, is) =>
      addition(`customers.${name}`, customerText(is), `Customer ${name} is new: ${customerText(is)}.`, counted),
    changed: (name, was, is) =>
      isPlain(was) && isPlain(is) && was.tier === is.tier
        ? []
        : forgetting(diffCustomer(name, was, is), forgetsOf(old, next, was, is)),
  });
}

/** Most customers of a large file have a tier and nothing else. */
const isPlain = ({ overrides, block }: CustomerRule): boolean => overrides.size === 0 && block === undefined;

const endedBlock = ({ block }: CustomerRule): string => (block ? ', and not blocked any more' : '');

function customerText({ tier, overrides, block }: CustomerRule): string {
  if (block) return blockText(block);
  const limits = [...overrides].map(([name, override]) => `${name} ${overrideText(override)}`);
  return [...(tier === undefined ? [] : [`tier ${tier}`]), ...limits].join(', ') || 'default tier';
}

function overrideText({ limit, untilMs, reason }: Override): string {
  return `${limitWords(limit, 'unit')}${untilText(untilMs)}${reasonText(reason)}`;
}

const blockText = ({ untilMs, reason }: NonNullable<CustomerRule['block']>): string =>
  `blocked${untilText(untilMs)}${reasonText(reason)}`;

const untilText = (untilMs: number): string =>
  untilMs === Number.POSITIVE_INFINITY ? '' : ` until ${dateWords(untilMs)}`;

const reasonText = (reason: string | undefined): string => (reason === undefined ? '' : ` (${reason})`);

function diffCustomer(name: string, was: CustomerRule, is: CustomerRule): PolicyChange[] {
  const path = `customers.${name}`;
  return [
    ...diffBlock(name, was.block, is.block),
    ...diffSettings(path, `Customer ${name}`, tierSetting(was), tierSetting(is)),
    ...diffMaps(was.overrides, is.overrides, {
      removed: (limit, before) =>
        removal(
          `${path}.overrides.${limit}`,
          overrideText(before),
          `Customer ${name}, limit ${limit}: the override is removed; it was ${overrideText(before)}.`,
        ),
      added: (limit, now) =>
        addition(
          `${path}.overrides.${limit}`,
          overrideText(now),
          `Customer ${name}, limit ${limit}: the override ${overrideText(now)} is new.`,
        ),
      changed: (limit, before, now) => {
        const [where, place] = [`${path}.overrides.${limit}`, `Customer ${name}, limit ${limit}`];
        return [
          ...diffLimits(where, place, before.limit, now.limit),
          ...diffSettings(where, place, endSettings(before), endSettings(now)),
        ];
      },
    }),
  ];
}

function diffBlock(name: string, was: CustomerRule['block'], is: CustomerRule['block']): PolicyChange[] {
  const path = `customers.${name}.block`;
  if (was === undefined) return is ? [addition(path, blockText(is), `Customer ${name} is ${blockText(is)}.`)] : [];
  if (is === undefined) return [removal(path, blockText(was), `Customer ${name} is not blocked any more.`)];
  return diffSettings(path, `Customer ${name}, block`, endSettings(was), endSettings(is));
}

const tierSetting = ({ tier }: CustomerRule): Settings => ({ tier: tier === undefined ? undefined : text(tier) });

function endSettings({ untilMs, reason }: Pick<Override, 'untilMs' | 'reason'>): Settings {
  return {
    until: untilMs === Number.POSITIVE_INFINITY ? undefined : text(dateWords(untilMs)),
    reason: reason === undefined ? undefined : text(reason),
  };
}

/** The policies of both files that ask who the customer is. */
function* policiesOf(old: PolicyFile, next: PolicyFile): Generator<[was: PolicyRule, is: PolicyRule]> {
  for (const [name, was] of old.policies) {
    const is = next.policies.get(name);
    if (was.tier?.from === 'customers' && is?.tier?.from === 'customers') yield [was, is];
  }
}

/** Somebody whom the file does not list counts by address, so a customer who is listed from now on counts anew. */
function countedByAddress(old: PolicyFile, next: PolicyFile): string | undefined {
  const both = [...policiesOf(old, next)];
  const changes = both.some(([was, is]) => was.unknownCustomer === 'address' || is.unknownCustomer === 'address');
  return changes ? 'all that this customer has spent: a key that is not listed counts by its address' : undefined;
}

function forgetsOf(old: PolicyFile, next: PolicyFile, was: CustomerRule, is: CustomerRule): string | undefined {
  for (const [policy, nextPolicy] of policiesOf(old, next)) {
    for (const rule of policy.limits) {
      const nextRule = nextPolicy.limits.find(({ name }) => name === rule.name);
      const from = customerLimit(old, policy, rule, was);
      const to = nextRule && customerLimit(next, nextPolicy, nextRule, is);
      const forgets = from && to && forgetsAs(from, to);
      if (forgets !== undefined) return `${forgets} for this customer by ${rule.name}`;
    }
  }
  return undefined;
}
