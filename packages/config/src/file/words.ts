import { suggestionFor } from '@sluice/core/http';
import type { MistakeCode } from './mistake.js';

/** Options that need a function or an object of the program, and how to have them beside a file. */
const ONLY_IN_CODE = new Map(
  Object.entries({
    elastic: 'it needs a signal of the program, so use tolerance here',
    headroom: 'it needs a function that says how important a request is',
    priority: 'it is a function',
    partition: 'it is a function, so list two keys here: key: [customer, model], with the second one from code',
    skip: 'it is a function',
    store: 'the program gives it to policies({ source, store })',
    message: 'give it to rateLimit beside the policy',
    statusCode: 'give it to rateLimit beside the policy',
    maxWait: 'give it to rateLimit beside the policy',
    waiting: 'give it to rateLimit beside the policy',
    standardHeaders: 'give it to rateLimit beside the policy',
    legacyHeaders: 'give it to rateLimit beside the policy',
    onMissingKey: 'give it to rateLimit beside the policy',
    skipFailedRequests: 'give it to rateLimit beside the policy',
    skipSuccessfulRequests: 'give it to rateLimit beside the policy',
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
  return { rule: `is not an option: ${suggestionFor(word, known)}`, code: 'SLUICE_OPTION' };
}

/** Returns the name that a word probably means: one that differs in few letters. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, Math.max(1, Math.floor(word.length / 3)) + 1];
  if (word.length > 128) return undefined;
  for (const name of names) {
    if (Math.abs(name.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

/**
 * Returns how many letters have to be changed, added, removed or exchanged with their neighbour.
 *
 * After Damerau, "A technique for computer detection and correction of spelling errors", Communications of the ACM 7(3), 1964.
 */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min((last[j - 1] as number) + change, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isExchange) least = Math.min(least, (before[j - 2] as number) + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] as number;
}
