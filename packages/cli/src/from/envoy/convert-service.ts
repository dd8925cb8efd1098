import { isIP } from 'node:net';
import type {
  Conversion,
  ConvertedKey,
  ConvertedLimit,
  ConvertedPolicy,
  LimitSpec,
  Match,
  Note,
} from '../conversion.js';
import { ADDRESS, EVERYONE, keyFromCode, type NamedKey } from '../named-key.js';
import { Names } from '../names.js';
import { isLiteral, prefixPattern } from '../prefix-pattern.js';
import { DEFAULT_TIER, type TieredLimit, tiersOf } from '../tiers.js';
import type { YamlValue } from '../yaml-value.js';
import { type Entry, type Rule, rulesOf, textOf } from './descriptors.js';
import { limitOf } from './limit-of.js';

const GENERAL: readonly Note[] = [
  {
    kind: 'differs',
    text: 'the service counts a request on all its descriptors, even if one of them refuses it. Here a refused request spends nothing on the limits of its policy',
  },
  {
    kind: 'left out',
    text: 'which requests a policy is for, where it has no match: the actions of Envoy say it, and not this file. Put each policy on its routes by its name',
  },
];

/** Converts the rules of envoyproxy/ratelimit. */
export function convertService(root: YamlValue): Conversion {
  return new ServiceConversion(root).result();
}

/** Rules that differ in the value of one entry, where a rule without a value is for all others. */
interface RuleGroup {
  readonly general: Rule;
  readonly special: readonly Rule[];
}

class ServiceConversion {
  readonly #domain: string;
  readonly #rules: readonly Rule[];
  readonly #notes: Note[] = [...GENERAL];
  readonly #keys = new Map<string, ConvertedKey>();

  constructor(root: YamlValue) {
    this.#domain = root.get('domain').text ?? '';
    this.#rules = rulesOf(root.get('descriptors').items);
  }

  result(): Conversion {
    const names = new Names();
    const limitNames = new Names();
    const tiered: TieredLimit[] = [];
    const policies = this.#groups().flatMap((group) => this.#policy(group, names, limitNames, tiered) ?? []);
    const { tiers, customers } =
      tiered.length === 0
        ? { tiers: new Map(), customers: new Map() }
        : tiersOf(
            tiered,
            tiered.flatMap(({ listed }) => [...listed.keys()]),
            (customer) => customer,
            new Names(),
          );
    return {
      product: `envoyproxy/ratelimit${this.#domain ? `, domain ${this.#domain}` : ''}`,
      notes: this.#notes,
      keys: this.#keys,
      tiers,
      customers,
      policies,
    };
  }

  /** The first group with values has the customers; a file has one list of them. */
  #groups(): RuleGroup[] {
    const groups: RuleGroup[] = [];
    const taken = new Set<Rule>();
    let customers: string | undefined;
    for (const general of this.#rules) {
      const last = general.entries.at(-1) as Entry;
      if (last.value !== undefined || general.entries.slice(0, -1).some(({ value }) => value === undefined)) continue;
      const special = this.#rules.filter((rule) => isSpecial(rule, general));
      if (special.length === 0 || keyOf(last.key) === ADDRESS) continue;
      customers ??= last.key;
      if (customers !== last.key) continue;
      groups.push({ general, special });
      for (const rule of [general, ...special]) taken.add(rule);
    }
    const rest = this.#rules.filter((rule) => !taken.has(rule)).map((general) => ({ general, special: [] }));
    return [...groups, ...rest].sort((a, b) => this.#rules.indexOf(a.general) - this.#rules.indexOf(b.general));
  }

  #policy(
    { general, special }: RuleGroup,
    names: Names,
    limitNames: Names,
    tiered: TieredLimit[],
  ): ConvertedPolicy | undefined {
    const { spec, isUnlimited, isShadow, notes } = limitOf(general);
    // A rule without a limit is worth a policy only if customers have other numbers.
    if (spec === undefined || (isUnlimited && special.length === 0)) {
      this.#notes.push(...notes.filter(({ kind }) => kind !== 'from'));
      if (isUnlimited && exemptAddress(general) === undefined) this.#notes.push(this.#unlimitedNote(general));
      return undefined;
    }
    const { entries, limit, descriptor } = general;
    const hasTiers = special.length > 0;
    const name = names.give(
      limit.get('name').text ?? entries.map(({ key, value }) => value ?? key).join('-'),
      'policy',
    );
    const free = entries.filter(({ value }) => value === undefined || value.endsWith('*'));
    const isShared = descriptor.get('share_threshold').isTrue;
    const counted = free.filter(({ value }) => value === undefined || !isShared).map(({ key }) => keyOf(key));
    for (const { name, key } of counted) if (key) this.#keys.set(name, key);
    const limitName = limit.get('unit').text?.toLowerCase() ?? 'limit';
    const shown: ConvertedLimit = {
      ...(hasTiers ? { name: limitNames.give(limitName, 'limit'), spec: undefined } : { name: limitName, spec }),
      ...(isShadow && { enforce: 0 }),
      notes,
    };
    const policyNotes: Note[] = [];
    if (hasTiers) {
      policyNotes.push({
        kind: 'differs',
        text: 'the service counts every value by itself. Here a value that is not among the customers counts by its address, because anybody could invent one',
      });
      const listed = new Map<string, LimitSpec>();
      for (const rule of special) {
        const own = limitOf(rule);
        policyNotes.push(...own.notes);
        if (own.isShadow !== isShadow)
          policyNotes.push({
            kind: 'left out',
            text: `shadow_mode of ${textOf(rule.entries)} alone: a limit refuses all customers, or none`,
          });
        if (own.spec) listed.set((rule.entries.at(-1) as Entry).value as string, own.spec);
      }
      tiered.push({ name: shown.name, otherwise: spec, listed });
    }
    const exempt = this.#exemptAddresses(general);
    for (const rule of exempt) policyNotes.push({ kind: 'from', text: `${exemptText(rule)}: it is in the allowList` });
    if (!isUnlimited) policyNotes.push(...this.#limitedApart(general, special));
    const match = matchOf(entries);
    const fixed = entries.filter(({ value, key }) => value !== undefined && !isMatched(key));
    if (fixed.length > 0)
      policyNotes.push({ kind: 'from', text: `for requests that Envoy describes by ${textOf(fixed)}` });
    return {
      name,
      match,
      key: counted.length === 0 ? [EVERYONE.name] : counted.map((key) => key.name),
      ...(hasTiers && { defaultTier: DEFAULT_TIER }),
      limits: [shown],
      ...(exempt.length > 0 && { allowList: exempt.flatMap((rule) => exemptAddress(rule) ?? []) }),
      notes: policyNotes,
    };
  }

  /** What becomes of a value without a limit that is no customer and no address. */
  #unlimitedNote(rule: Rule): Note {
    const general = this.#rules.find((other) => isPartOf(rule, other) && !limitOf(other).isUnlimited);
    if (general === undefined) return { kind: 'from', text: `${exemptText(rule)}: it needs no policy` };
    return {
      kind: 'left out',
      text: `${exemptText(rule)}. Here the policy of ${textOf(general.entries)} counts it, too`,
    };
  }

  /** The service counts a request by its most specific rule alone, and two policies on its route both count it. */
  #limitedApart(general: Rule, special: readonly Rule[]): readonly Note[] {
    const isLimited = (rule: Rule): boolean => {
      const { spec, isUnlimited } = limitOf(rule);
      return spec !== undefined && !isUnlimited;
    };
    return this.#rules
      .filter((rule) => isPartOf(rule, general) && !special.includes(rule) && isLimited(rule))
      .map(({ entries, descriptor }) => ({
        kind: 'left out',
        text: `${textOf(entries)} (${descriptor.place}) has a limit of its own, and the service counts it by that alone. Here this policy counts it, too: put only the other one on its route`,
      }));
  }

  /** The rules that exempt addresses from a limit by address. */
  #exemptAddresses(general: Rule): readonly Rule[] {
    return this.#rules.filter(
      (rule) => isSpecial(rule, general) && limitOf(rule).isUnlimited && exemptAddress(rule) !== undefined,
    );
  }
}

const exemptText = ({ entries, descriptor }: Rule): string => `${textOf(entries)} has no limit (${descriptor.place})`;

/** The address or range that a rule is about; undefined if it is about something else. */
function exemptAddress({ entries }: Rule): string | undefined {
  const { key, value = '' } = entries.at(-1) as Entry;
  const isAddress = keyOf(key) === ADDRESS && isIP(value.replace(/\/\d{1,3}$/, '')) > 0;
  return isAddress ? value : undefined;
}

/** Whether a rule is about some of the requests that another one is about, and more specific, so that it decides about them alone. */
function isPartOf({ entries }: Rule, { entries: general }: Rule): boolean {
  return (
    entries.length === general.length &&
    entries.every(({ key, value }, i) => key === general[i]?.key && isValueWithin(value, general[i]?.value)) &&
    entries.some(({ value }, i) => value !== general[i]?.value)
  );
}

/** Whether a value of a rule is one of those of another, which are all, or all with a beginning. */
function isValueWithin(value: string | undefined, others: string | undefined): boolean {
  if (others === undefined || value === others) return true;
  return value !== undefined && others.endsWith('*') && value.startsWith(others.slice(0, -1));
}

/** Whether a rule is about some values of the last entry of another one, which is about all of them. */
function isValueOf({ entries }: Rule, { entries: general }: Rule): boolean {
  return (
    entries.length === general.length &&
    entries.at(-1)?.value !== undefined &&
    general.at(-1)?.value === undefined &&
    entries.every(
      ({ key, value }, i) => key === general[i]?.key && (i === general.length - 1 || value === general[i]?.value),
    )
  );
}

/** Whether a rule is the same as another one, but for a value of its last entry. */
function isSpecial(rule: Rule, general: Rule): boolean {
  return isValueOf(rule, general) && rule.entries.at(-1)?.value?.endsWith('*') === false;
}

const PATHS = new Set(['path', ':path']);
const METHODS = new Set(['method', ':method']);

const isMatched = (key: string): boolean => PATHS.has(key.toLowerCase()) || METHODS.has(key.toLowerCase());

/** Entries that are called after the path and the method mostly are those. */
function matchOf(entries: readonly Entry[]): Match | undefined {
  const valueIn = (names: ReadonlySet<string>) => entries.find(({ key }) => names.has(key.toLowerCase()))?.value;
  const [path, method] = [valueIn(PATHS), valueIn(METHODS)];
  const isPath = path !== undefined && isLiteral(path.replace(/\*$/, ''));
  if (!isPath && method === undefined) return undefined;
  return {
    ...(isPath && { path: path?.endsWith('*') ? prefixPattern(path.slice(0, -1)) : (path as string) }),
    ...(method !== undefined && { methods: [method.toUpperCase()] }),
  };
}

function keyOf(key: string): NamedKey {
  if (key === 'remote_address' || key === 'masked_remote_address') return ADDRESS;
  return keyFromCode(key, `the value of the descriptor ${key}`);
}
