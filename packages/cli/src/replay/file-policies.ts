import {
  compilePolicy,
  type KeyRule,
  type LimitRule,
  type PolicyFile,
  type PolicyRule,
  requestMatcher,
  tierOf,
} from '@sluice/config';
import type { Limit } from '@sluice/core';
import { usageError } from '../exit-code.js';
import type { LineFormat, WantedFields } from '../log/line-format.js';
import type { LoggedRequest } from '../log/logged-request.js';
import { type KeyMapping, type KeySource, keyReader } from './key-source.js';
import type { ReplayedPolicy } from './replayed-policy.js';

/** What tells which fields of the log the keys of the file are. */
interface LogFields {
  readonly formats: readonly LineFormat[];
  readonly mappings: readonly KeyMapping[];
}

/** The policies of a file, ready for a log. */
export interface FilePolicies {
  readonly policies: readonly ReplayedPolicy[];
  /** Which fields have to be read from the log. */
  readonly wanted: WantedFields;
  /** Sentences about parts of the file that a log cannot show. */
  readonly notes: readonly string[];
}

/**
 * Prepares the policies of a file. All limits are enforced for everybody, whatever `enforcement` and `rollout` say: the
 * question is what they would do. A limit that the file itself has in shadow (`enforce: 0`) stays there.
 *
 * @throws CommandError 2 if the log does not have a key of the file
 */
export function filePolicies(file: PolicyFile, fields: LogFields): FilePolicies {
  const sources = keySources(file, fields);
  const notes: string[] = [];
  const shown = {
    ...file,
    enforcement: 'on' as const,
    keys: new Map([...file.keys].map(([name, rule]) => [name, sources.has(name) ? CODE : rule])),
    policies: new Map(
      [...file.policies].flatMap(([name, rule]) => {
        const own = withoutSlots(file, rule, notes);
        noteCode(rule, notes);
        return own.limits.length === 0 ? [] : [[name, enforced(own)]];
      }),
    ),
  };
  const values = valuesOf(fields.mappings);
  const overrides = overridesOf(file);
  return {
    policies: [...shown.policies.values()].map((rule) => replayed(shown, rule, { sources, values, overrides })),
    wanted: { headers: headersOf(shown, sources), values },
    notes,
  };
}

/** The fields of the log that keys are mapped to, beside header fields: the same for every file. */
function valuesOf(mappings: readonly KeyMapping[]): readonly string[] {
  return mappings.flatMap(({ source }) => (source.from === 'value' ? [source.name] : []));
}

/** A policy without what leaves some keys out for a while. */
function enforced(rule: PolicyRule): PolicyRule {
  const { enforce } = rule;
  return { ...rule, enforce: enforce === 'mark' ? enforce : undefined, rollout: [], brake: undefined };
}

const CODE: KeyRule = { from: 'code' };

interface Sources {
  readonly sources: ReadonlyMap<string, KeySource>;
  readonly values: readonly string[];
  readonly overrides: ReadonlySet<Limit>;
}

function replayed(file: PolicyFile, rule: PolicyRule, { sources, values, overrides }: Sources): ReplayedPolicy {
  const { name, limits } = rule;
  const read = Object.fromEntries([...sources].map(([key, source]) => [key, keyReader(source, values)]));
  const unknown = (): undefined => undefined;
  const costs = Object.fromEntries(
    [name, ...limits.map((limit) => `${name}.${limit.name}`)].map((at) => [at, unknown]),
  );
  return {
    name,
    limits: limits.map((limit) => limit.name),
    keyOfLimit: keyNumbers(rule),
    parts: limits.flatMap((limit) => partsOf(file, limit)),
    isOfClients: rule.key.some((key) => file.keys.get(key)?.from !== 'everyone'),
    isForAll: rule.match === undefined,
    matches: requestMatcher(rule.match),
    compile: (store) =>
      compilePolicy<LoggedRequest>(file, name, { store, keys: read, tiers: { [name]: unknown }, costs }),
    tierOf: (limit) => tierOf(limit) ?? (overrides.has(limit) ? 'override' : ''),
  };
}

/** A limit with variants counts under the name of each, and one with tiers for each of them. */
function partsOf({ tiers }: PolicyFile, { name, variants, tiered }: LimitRule): ReplayedPolicy['parts'] {
  if (variants) return variants.map((variant) => ({ limit: `${name}:${variant.name}`, tier: '' }));
  return tiered ? [...tiers.keys()].map((tier) => ({ limit: name, tier })) : [{ limit: name, tier: '' }];
}

/** Numbers the keys of a policy: 0 is its own, or that of its first limit if no limit counts by its own. */
function keyNumbers({ key, limits }: PolicyRule): readonly number[] {
  const keys = limits.flatMap((limit) => {
    const own = JSON.stringify(limit.key ?? key);
    return (limit.variants ?? [limit]).map(() => own);
  });
  const own = JSON.stringify(key);
  const distinct = [...new Set(keys.includes(own) ? [own, ...keys] : keys)];
  return keys.map((each) => distinct.indexOf(each));
}

/** The limits of single customers. */
function overridesOf({ customers }: PolicyFile): ReadonlySet<Limit> {
  const limits = new Set<Limit>();
  for (const { overrides } of customers.values()) for (const { limit } of overrides.values()) limits.add(limit);
  return limits;
}

/** A log does not tell when a request gave its slot back. */
function withoutSlots({ tiers }: PolicyFile, rule: PolicyRule, notes: string[]): PolicyRule {
  const isSlots = (limit: Limit | undefined): boolean => limit?.algorithm === 'concurrency';
  const limits = rule.limits.filter(({ name, limit }) => {
    const hasSlots = limit ? isSlots(limit) : [...tiers.values()].some((own) => isSlots(own.get(name)));
    if (hasSlots) notes.push(`The limit ${name} of ${rule.name} counts requests at the same time. It was left out.`);
    return !hasSlots;
  });
  return { ...rule, limits };
}

function noteCode({ name, tier, cost, limits }: PolicyRule, notes: string[]): void {
  if (tier?.from === 'code') {
    notes.push(`Your code chooses the tiers of ${name}. Every request had the default tier, ${tier.default}.`);
  }
  if (tier?.from === 'header' || cost.from === 'header') {
    notes.push(
      `${name} reads header fields from certain senders alone. The log has to show these senders as addresses.`,
    );
  }
  for (const rule of [
    { name, cost },
    ...limits.map((limit) => ({ name: `${name}.${limit.name}`, cost: limit.cost })),
  ]) {
    if (rule.cost?.from !== 'code') continue;
    notes.push(`Your code computes the cost of ${rule.name}. Every request cost the default, ${rule.cost.default}.`);
  }
}

/** The header fields that policies read. */
function headersOf({ keys, policies }: PolicyFile, sources: ReadonlyMap<string, KeySource>): readonly string[] {
  const ofKeys = [...keys.values()].flatMap((rule) => (rule.from === 'header' ? [rule.header] : []));
  const ofSources = [...sources.values()].flatMap((source) => (source.from === 'header' ? [source.header] : []));
  const ofPolicies = [...policies.values()].flatMap(({ tier, cost, limits }) =>
    [tier, cost, ...limits.map((limit) => limit.cost)].flatMap((rule) =>
      rule?.from === 'header' ? [rule.header] : [],
    ),
  );
  return [...new Set([...ofKeys, ...ofSources, ...ofPolicies].map((header) => header.toLowerCase()))];
}

/**
 * Finds where the keys are that the command line maps, or that the file takes from code.
 *
 * @throws CommandError 2 if a key is nowhere
 */
function keySources({ keys, policies }: PolicyFile, { formats, mappings }: LogFields): ReadonlyMap<string, KeySource> {
  const used = new Set(
    [...policies.values()].flatMap(({ key, limits }) =>
      [key, ...limits.map((limit) => [...(limit.key ?? []), ...(limit.guarantee?.key ?? [])])].flat(),
    ),
  );
  const general = mappings.find(({ key }) => key === undefined)?.source;
  const sources = new Map<string, KeySource>();
  for (const { key } of mappings) {
    if (key === undefined || keys.has(key)) continue;
    throw usageError(`--key ${key}=…: the policy file has no key ${key}. It has ${[...keys.keys()].join(', ')}.`);
  }
  for (const name of used) {
    const rule = keys.get(name);
    if (!rule) continue;
    const own = mappings.find(({ key }) => key === name)?.source;
    const missing = own ? missingSource(own, formats) : missingKey(rule, formats);
    const source = own ?? (missing === undefined ? undefined : general);
    const stillMissing = source === own ? missing : source && missingSource(source, formats);
    if (stillMissing !== undefined) throw usageError(`${stillMissing}${cure(name)}`.replaceAll('$NAME', name));
    if (source) sources.set(name, source);
  }
  return sources;
}

const cure = (name: string): string =>
  ` Or say which field of the log to count by, for example by address: --key ${name}=remote_addr`;

/** Says what the log lacks of a key; undefined if nothing. */
function missingKey(rule: KeyRule, formats: readonly LineFormat[]): string | undefined {
  if (rule.from === 'code') return 'The key $NAME comes from your code, so the log cannot tell it.';
  return rule.from === 'header' ? missingSource(rule, formats, 'The key $NAME is') : undefined;
}

function missingSource(source: KeySource, formats: readonly LineFormat[], what = '--key $NAME='): string | undefined {
  if (source.from === 'address') return undefined;
  const lacks = formats.find((format) =>
    source.from === 'header' ? format.hasHeader(source.header) === false : format.hasValue(source.name) === false,
  );
  if (!lacks) return undefined;
  if (source.from === 'value') return `${what} ${source.name}: the log format ${lacks.name} has no such field.`;
  const variable = `$http_${source.header.replaceAll('-', '_')}`;
  return `${what} the header field ${source.header}, and the log format ${lacks.name} does not have it. Add ${variable} to the log_format of nginx.`;
}
