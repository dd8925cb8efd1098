import type { Limit } from '@sluice/core';
import type { HttpRequest } from '@sluice/core/http';
import { unknownPolicy } from '../compile/compile-policy.js';
import { chosenKeys } from '../file/chosen-keys.js';
import type { KeyRule, LimitRule, Override, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { requestMatcher } from '../match/request-matcher.js';
import { dateWords, listWords, shareWords } from '../words/words.js';
import { costSentences } from './cost-words.js';
import { enforcementSentences } from './enforcement-words.js';
import type { ExplainedLimit, ExplainedPolicy, ExplainedSentence, FilePath } from './explanation.js';
import { limitSentence, mostOf } from './limit-sentence.js';
import { type Sender, senderOf } from './sender.js';

/** What to explain. */
export interface ExplainOptions {
  /** The time at which overrides, blocks and rollouts are looked at, in Unix milliseconds. */
  readonly nowMs: number;
  /** The name of one policy. Default: all, or those that the request matches. */
  readonly policy?: string;
  /** A customer, by the value of the key. Default: the customer of the request, or everybody. */
  readonly customer?: string;
  /** A request, with the names of its header fields in lower case. Default: every request. */
  readonly request?: HttpRequest;
}

/**
 * Says in plain sentences what the policies of a file do: who counts how, what is admitted, the worst case as `boundOf`
 * computes it, and which place in the file decides each of it.
 *
 * @throws SluiceError `SLUICE_OPTION` if the file has no policy of this name
 * @example
 * const [api] = explainPolicies(file, { customer: 'acme', nowMs: systemClock.now() });
 * for (const { text } of api.limits) console.log(text);
 */
export function explainPolicies(file: PolicyFile, options: ExplainOptions): readonly ExplainedPolicy[] {
  const { policy, request } = options;
  if (policy !== undefined && !file.policies.has(policy)) throw unknownPolicy(policy, file.policies.keys());
  const named = [...file.policies.values()].filter(({ name }) => policy === undefined || name === policy);
  const chosen = request ? named.filter(({ match }) => requestMatcher(match)(request)) : named;
  return chosen.map((one) => explainPolicy(file, one, options));
}

function explainPolicy(file: PolicyFile, policy: PolicyRule, options: ExplainOptions): ExplainedPolicy {
  const sender = senderOf(file, policy, options);
  const about = [
    ...matchSentences(policy),
    ...addressSentences(policy),
    ...keySentences(file, policy),
    ...warningSentences(file, policy),
    ...(sender?.sentences ?? []),
  ];
  if (sender?.isRefused) return { policy: policy.name, sentences: about, limits: [] };
  const sentences = [
    ...about,
    ...enforcementSentences(file, policy, options.nowMs),
    ...costSentences(policy, options.request),
    failureSentence(policy),
  ];
  const rules = file.enforcement === 'off' ? [] : policy.limits;
  const limits = rules.flatMap((rule, i) => explainLimit(file, policy, rule, i, sender, options));
  return { policy: policy.name, sentences, limits };
}

function matchSentences({ name, match }: PolicyRule): ExplainedSentence[] {
  if (match === undefined) return [];
  const methods = match.methods ? `${listWords(match.methods)} requests` : 'requests';
  const paths = match.path === undefined ? '' : ` of ${listWords(match.path, 'or')}`;
  return [{ text: `It is for ${methods}${paths}.`, path: ['policies', name, 'match'] }];
}

function addressSentences({ name, allowList, denyList }: PolicyRule): ExplainedSentence[] {
  return [
    ...(denyList.length === 0
      ? []
      : [['denyList', `Requests from ${listWords(denyList, 'or')} are refused with 403.`] as const]),
    ...(allowList.length === 0
      ? []
      : [['allowList', `Requests from ${listWords(allowList, 'or')} are not counted.`] as const]),
  ].map(([option, text]) => ({ text, path: ['policies', name, option] }));
}

function keySentences({ keys }: PolicyFile, { name, key, unknownCustomer }: PolicyRule): ExplainedSentence[] {
  const path: FilePath = ['policies', name, 'key'];
  const sentences = [{ text: `It counts by ${keyWords(keys, key)}.`, path }];
  if (unknownCustomer === undefined) return sentences;
  const what = unknownCustomer === 'refuse' ? 'is refused with 401' : 'counts by address';
  return [...sentences, { text: `A key that no customer has ${what}.`, path: ['policies', name, 'unknownCustomer'] }];
}

function warningSentences(file: PolicyFile, { name }: PolicyRule): ExplainedSentence[] {
  return chosenKeys(file)
    .filter(({ path }) => path[1] === name)
    .map(({ path, rule }) => ({ text: `Warning: the key ${rule}.`, path, isWarning: true }));
}

function keyWords(keys: ReadonlyMap<string, KeyRule>, names: readonly string[]): string {
  return listWords(names.map((name) => oneKeyWords(name, keys.get(name))));
}

function oneKeyWords(name: string, rule: KeyRule | undefined): string {
  switch (rule?.from) {
    case 'header':
      return `${name} (the header ${rule.header})`;
    case 'ip':
      return `${name === 'address' ? '' : `${name}, the `}address (IPv6 by networks of /${rule.ipv6Subnet})`;
    case 'everyone':
      return name === 'everyone' ? 'one key for all requests' : `${name}, one key for all requests`;
    default:
      return `${name} (from your code)`;
  }
}

const FAILURES: Readonly<Record<PolicyRule['onStoreError'], string>> = {
  local: 'each process counts by itself, with a share of the limit',
  allow: 'every request is admitted',
  deny: 'every request is refused',
};

function failureSentence({ name, onStoreError }: PolicyRule): ExplainedSentence {
  return { text: `If the store fails, ${FAILURES[onStoreError]}.`, path: ['policies', name, 'onStoreError'] };
}

/** A limit that holds for a group of keys, and where it stands. */
interface Candidate {
  readonly group: string;
  readonly limit: Limit;
  readonly path: FilePath;
  /** Follows the sentence of the limit: until when it holds, and for whom. */
  readonly note?: string;
}

function explainLimit(
  file: PolicyFile,
  policy: PolicyRule,
  rule: LimitRule,
  index: number,
  sender: Sender | undefined,
  { nowMs }: ExplainOptions,
): ExplainedLimit[] {
  const own: FilePath = ['policies', policy.name, 'limits', index];
  const usual = usualCandidates(file, policy, rule, own);
  const candidates = sender
    ? ofSender(usual, policy, rule, sender, nowMs)
    : [...usual, ...overrideCandidates(file, policy, rule, nowMs)];
  const ownKey = rule.key ? ` by ${keyWords(file.keys, rule.key)}` : '';
  return candidates.map(({ group, limit, path, note = '' }) => {
    const subject = `${rule.name}${ownKey}${group === 'everybody' ? '' : `, ${group}`}`;
    return {
      name: rule.name,
      group,
      limit,
      most: mostOf(limit, rule, rule.cost ?? policy.cost),
      text: `${subject}: ${limitSentence(limit, rule, policy)}${note}`,
      path,
    };
  });
}

/** The limits by tier or by variant, or the one for all. */
function usualCandidates({ tiers }: PolicyFile, policy: PolicyRule, rule: LimitRule, own: FilePath): Candidate[] {
  if (rule.variants) {
    return rule.variants.map(({ name, share, limit }) => ({
      group: `variant ${name}`,
      limit,
      path: [...own, 'variants', name],
      note: ` It is for ${shareWords(share)} of keys.`,
    }));
  }
  if (!rule.tiered) return rule.limit ? [{ group: 'everybody', limit: rule.limit, path: own }] : [];
  return [...tiers].flatMap(([tier, limits]) => {
    const limit = limits.get(rule.name);
    const note = tier === policy.tier?.default ? { note: ' It is the default tier.' } : {};
    return limit ? [{ group: `tier ${tier}`, limit, path: ['tiers', tier, rule.name], ...note }] : [];
  });
}

function ofSender(
  usual: readonly Candidate[],
  policy: PolicyRule,
  rule: LimitRule,
  { customer, rule: known, tier }: Sender,
  nowMs: number,
): Candidate[] {
  const override = known?.overrides.get(rule.name);
  if (override && customer !== undefined && override.untilMs > nowMs)
    return [overrideCandidate(rule, customer, override)];
  if (!rule.tiered) return [...usual];
  const ofTier = (name: string | undefined) => usual.find(({ group }) => group === `tier ${name}`);
  const chosen = ofTier(tier) ?? ofTier(policy.tier?.default);
  // Another sentence says why it is this tier.
  return chosen ? [{ group: chosen.group, limit: chosen.limit, path: chosen.path }] : [];
}

/** So many overrides are listed. A file can have thousands. */
const LISTED = 20;

function overrideCandidates(file: PolicyFile, policy: PolicyRule, rule: LimitRule, nowMs: number): Candidate[] {
  if (policy.tier?.from !== 'customers') return [];
  const candidates: Candidate[] = [];
  for (const [customer, { overrides, block }] of file.customers) {
    const override = overrides.get(rule.name);
    if (override && !block && override.untilMs > nowMs) candidates.push(overrideCandidate(rule, customer, override));
    if (candidates.length === LISTED) break;
  }
  return candidates;
}

function overrideCandidate({ name }: LimitRule, customer: string, { limit, untilMs, reason }: Override): Candidate {
  const until = untilMs === Number.POSITIVE_INFINITY ? '' : ` until ${dateWords(untilMs)}`;
  const why = reason === undefined ? '' : ` (${reason})`;
  return {
    group: `customer ${customer}`,
    limit,
    path: ['customers', customer, 'overrides', name],
    note: `${until || why ? ` It holds${until}${why}.` : ''}`,
  };
}
