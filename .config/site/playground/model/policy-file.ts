import type { Sender } from './arrivals.js';
import { type Described, isShared, plainOptionsOf, wordsOf } from './describe.js';
import { largestCostOf, namesOf, usesCosts } from './policy.js';
import type { LimitState, State } from './state.js';

/** Writes the policy file that has these limits. What a file cannot have is a comment in it. */
export function policyFileOf(state: State, senders: readonly Sender[]): string {
  const names = namesOf(state.limits);
  const lines = [
    ...missingFrom(state).map((text) => `# ${text}`),
    'version: 1',
    'policies:',
    '  api:',
    ...(usesCosts(state, senders)
      ? [`    cost: { from: code, max: ${largestCostOf(senders)} } # your program says what a request costs`]
      : []),
    '    limits:',
    ...state.limits.map((form, i) => `      - ${inYaml(itemOf(form, names[i]))}`),
  ];
  return `${lines.join('\n')}\n`;
}

function itemOf(form: LimitState, name: string | undefined): Described {
  const { algorithm, part, parts, lend } = form;
  const guarantee = { limit: part, key: 'address', total: parts, ...(lend > 0 && { lend: lend / 100 }) };
  return {
    ...(name !== undefined && { name }),
    ...(algorithm !== 'sliding-window' && { algorithm }),
    ...wordsOf(form),
    ...(isShared(form) && { key: 'everyone' }),
    ...plainOptionsOf(form),
    ...(part > 0 && { guarantee }),
  };
}

function missingFrom({ limits, maxWait, fields, legacy }: State): string[] {
  return [
    limits.some(({ elastic }) => elastic > 0) && 'elastic is left out: it needs the load of your program.',
    limits.some(({ headroom }) => headroom > 0) && 'headroom is left out: it needs a function that says what matters.',
    maxWait !== '' && `maxWait: '${maxWait}' is an option of the middleware, not of a file.`,
    (fields !== 'draft-11' || !legacy) && 'The header fields are chosen by options of the middleware.',
  ].filter((text) => text !== false);
}

const PLAIN = /^[A-Za-z][\w./-]*$/;
const DURATION = /^\d+(\.\d+)?(ms|s|m|h|d)$/;

function inYaml(value: Described): string {
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(([name, one]) => `${name}: ${inYaml(one)}`);
    return `{ ${entries.join(', ')} }`;
  }
  if (typeof value === 'string' && !PLAIN.test(value) && !DURATION.test(value)) return JSON.stringify(value);
  return String(value);
}
