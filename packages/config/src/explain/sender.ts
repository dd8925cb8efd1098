import { byIp, type HttpRequest } from '@sluice/core/http';
import { headerText, requestOf } from '../compile/request-value.js';
import { tierReader } from '../compile/tier.js';
import { hashedCustomer, isHashed } from '../file/customer-name.js';
import type { CustomerRule, PolicyFile, PolicyRule } from '../file/policy-file.js';
import { dateWords } from '../words/words.js';
import type { ExplainedSentence, FilePath } from './explanation.js';

/** Who sends requests, as far as it is known. */
export interface Asked {
  /** The value of the first key of the policy. */
  readonly customer?: string | undefined;
  readonly request?: HttpRequest | undefined;
  readonly nowMs: number;
}

/** Who sends a request, as the file sees it. */
export interface Sender {
  readonly sentences: readonly ExplainedSentence[];
  /** The name of the customer in the file; undefined if no customer has the key. */
  readonly customer: string | undefined;
  readonly rule: CustomerRule | undefined;
  /** The tier that holds, if the policy has tiers. */
  readonly tier: string | undefined;
  /** Whether every request is refused for its sender. */
  readonly isRefused: boolean;
}

/** Finds out who sends a request. Undefined if nobody is asked about: then everybody is. */
export function senderOf(file: PolicyFile, policy: PolicyRule, asked: Asked): Sender | undefined {
  if (asked.customer === undefined && asked.request === undefined) return undefined;
  const value = asked.customer ?? keyValue(file, policy, asked.request as HttpRequest);
  const customer = policy.tier?.from === 'customers' ? customerName(file, value) : undefined;
  const rule = customer === undefined ? undefined : file.customers.get(customer);
  const refusal = refusalOf(file, policy, customer, rule, asked.nowMs);
  if (refusal) return { sentences: [refusal], customer, rule, tier: undefined, isRefused: file.enforcement === 'on' };
  const { tier, sentence } = tierOf(file, policy, customer, rule, asked.request);
  const sentences = [...customerSentences(file, policy, customer, value), ...(sentence ? [sentence] : [])];
  return { sentences, customer, rule, tier, isRefused: false };
}

/** The first key says who the customer is. */
function keyValue({ keys }: PolicyFile, { key }: PolicyRule, request: HttpRequest): string | undefined {
  const rule = keys.get(key[0] as string);
  if (rule?.from === 'header') return headerText(requestOf(request), rule.header.toLowerCase());
  const address = rule?.from === 'ip' ? byIp({ ipv6Subnet: rule.ipv6Subnet })(request) : undefined;
  return Array.isArray(address) ? String(address[1]) : undefined;
}

/** The name by which the file knows a customer: the value of the key, or its hash. A value like a hash is no key. */
function customerName({ customers }: PolicyFile, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!isHashed(value) && customers.has(value)) return value;
  const hashed = hashedCustomer(value);
  return customers.has(hashed) ? hashed : undefined;
}

function refusalOf(
  { enforcement }: PolicyFile,
  { name, key, unknownCustomer }: PolicyRule,
  customer: string | undefined,
  rule: CustomerRule | undefined,
  nowMs: number,
): ExplainedSentence | undefined {
  const verb = enforcement === 'on' ? 'is' : 'would be';
  if (customer === undefined) {
    if (unknownCustomer !== 'refuse') return undefined;
    const text = `The file does not list this ${key[0]}, so every request ${verb} refused with 401.`;
    return { text, path: ['policies', name, 'unknownCustomer'] };
  }
  const { block } = rule ?? {};
  if (!block || block.untilMs <= nowMs) return undefined;
  const until = block.untilMs === Number.POSITIVE_INFINITY ? '' : ` until ${dateWords(block.untilMs)}`;
  const reason = block.reason === undefined ? '' : ` (${block.reason})`;
  const text = `Customer ${customer} is blocked${until}${reason}: every request ${verb} refused with 403.`;
  return { text, path: ['customers', customer, 'block'] };
}

function customerSentences(
  { keys }: PolicyFile,
  { name, key, tier, unknownCustomer }: PolicyRule,
  customer: string | undefined,
  value: string | undefined,
): ExplainedSentence[] {
  if (tier?.from !== 'customers') return [];
  if (customer !== undefined) return [{ text: `The sender is customer ${customer}.`, path: ['customers', customer] }];
  const path: FilePath = ['policies', name];
  const isOfCode = keys.get(key[0] as string)?.from === 'code';
  if (value === undefined && isOfCode) {
    return [{ text: `Your code gives the ${key[0]}. This is what holds for one that the file does not list.`, path }];
  }
  if (value === undefined) return [{ text: `The request has no ${key[0]}, so it counts by address.`, path }];
  if (unknownCustomer !== 'address')
    return [{ text: `The file does not list this ${key[0]}.`, path: [...path, 'tier'] }];
  return [
    {
      text: `The file does not list this ${key[0]}, so the request counts by address.`,
      path: [...path, 'unknownCustomer'],
    },
  ];
}

/** The customer's own tier comes first, then that of the request, then the default. */
function tierOf(
  { tiers }: PolicyFile,
  { name, tier }: PolicyRule,
  customer: string | undefined,
  rule: CustomerRule | undefined,
  request: HttpRequest | undefined,
): { tier: string | undefined; sentence?: ExplainedSentence } {
  if (tier === undefined) return { tier: undefined };
  const path: FilePath = ['policies', name, 'tier'];
  if (rule?.tier !== undefined && customer !== undefined) {
    const sentence = { text: `Customer ${customer} has tier ${rule.tier}.`, path: ['customers', customer, 'tier'] };
    return { tier: rule.tier, sentence };
  }
  if (tier.default === undefined) return { tier: undefined };
  if (tier.from === 'code') {
    const text = `Your code chooses the tier; this is tier ${tier.default}, the default.`;
    return { tier: tier.default, sentence: { text, path: [...path, 'default'] } };
  }
  const own = tier.from === 'header' && request ? tierReader(tier, undefined)?.(request) : undefined;
  if (own !== undefined && tiers.has(own) && tier.from === 'header') {
    return { tier: own, sentence: { text: `The header ${tier.header} says tier ${own}.`, path: [...path, 'header'] } };
  }
  return {
    tier: tier.default,
    sentence: { text: `The tier is ${tier.default}, the default.`, path: [...path, 'default'] },
  };
}
