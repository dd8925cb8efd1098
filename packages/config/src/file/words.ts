import { nearest, suggestionFor } from '@sluice/core/values';
import type { MistakeCode } from './mistake.js';

/** Options of the middleware, which a program gives with the policy. */
const OF_HTTP = [
  'message',
  'statusCode',
  'maxWait',
  'waiting',
  'standardHeaders',
  'legacyHeaders',
  'skipFailedRequests',
  'skipSuccessfulRequests',
];

/** Options that need a function or an object of the program, and how to have them beside a file. */
const ONLY_IN_CODE = new Map(
  Object.entries({
    ...Object.fromEntries(OF_HTTP.map((option) => [option, `give it in code: live.policy(name, { ${option} })`])),
    elastic: 'it needs a signal of the program, so use tolerance here',
    headroom: 'it needs a function that says how important a request is',
    priority: 'it is a function',
    partition: 'it is a function, so list two keys here: key: [customer, model], with the second one from code',
    skip: 'it is a function',
    onMissingKey: 'say unknownCustomer, for the whole policy',
    store: 'the program gives it to policies({ source, store })',
  }),
);

/** Words that the file calls otherwise than the options of a program do. */
const OWN_WORDS = new Map(
  Object.entries({
    keyGenerator: 'key',
    onMissingKey: 'unknownCustomer',
    expires: 'until',
    end: 'until',
    blocked: 'block',
    plan: 'tier',
    plans: 'tiers',
    users: 'customers',
    shadow: 'enforce',
    allowlist: 'allowList',
    whitelist: 'allowList',
    denylist: 'denyList',
    blacklist: 'denyList',
    mode: 'enforcement',
    steps: 'rollout',
    trustedProxies: 'trustedFrom',
    subnet: 'ipv6Subnet',
    failOpen: 'onStoreError',
  }),
);

/** Says what to write instead of an unknown word. */
export function unknownWord(word: string, known: readonly string[]): { rule: string; code: MistakeCode } {
  const own = OWN_WORDS.get(word);
  if (own !== undefined && known.includes(own)) return { rule: `is not an option: use ${own}`, code: 'SLUICE_OPTION' };
  const near = nearest(word, known);
  if (near !== undefined) return { rule: `is not an option: use ${near}`, code: 'SLUICE_OPTION' };
  const reason = ONLY_IN_CODE.get(word);
  if (reason !== undefined) return { rule: `cannot stand in a file: ${reason}`, code: 'SLUICE_UNSUPPORTED' };
  return {
    rule: `is not an option: ${suggestionFor(word, known, { page: 'policy-file.md of @sluice/config' })}`,
    code: 'SLUICE_OPTION',
  };
}
