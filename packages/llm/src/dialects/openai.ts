import { isObject, isStated, type JsonObject } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import type { Counts } from './counts.js';
import { goDuration } from './go-duration.js';
import type { MemberPath } from './member-path.js';
import type { ClientError, ErrorKind, Fields, Vendor } from './vendor.js';

/** The errors and header fields that OpenAI's clients read, and with them most clients. */
export const openAi: Vendor = {
  name: 'openai',

  errorBody(error) {
    const { message, field } = error;
    const param = field === undefined || field === 'body' ? null : field;
    return { error: { message, type: typeOf(error), param, code: codeOf(error) } };
  },

  // The reset is a duration of Go, until the limit is fresh.
  limitFields(limits) {
    const fields: Fields = {};
    for (const counts of ['requests', 'tokens'] as const) {
      const { [counts]: state } = limits;
      if (!state) continue;
      fields[`x-ratelimit-limit-${counts}`] = state.limit;
      fields[`x-ratelimit-remaining-${counts}`] = state.remaining;
      if (state.resetAfterMs !== 'never') fields[`x-ratelimit-reset-${counts}`] = goDuration(state.resetAfterMs);
    }
    return fields;
  },
};

const CODES: Readonly<Record<ErrorKind, string | null>> = {
  rate: 'rate_limit_exceeded',
  size: 'rate_limit_exceeded',
  budget: 'insufficient_quota',
  blocked: 'access_blocked',
  unavailable: 'service_unavailable',
  invalid: null,
  unreachable: 'upstream_error',
  timeout: 'upstream_error',
};

function codeOf({ kind, field }: ClientError): string | null {
  return kind === 'invalid' && field === 'model' ? 'model_not_found' : CODES[kind];
}

function typeOf({ kind, counts = 'requests' }: ClientError): string {
  if (kind === 'rate' || kind === 'size') return counts;
  if (kind === 'budget') return 'insufficient_quota';
  if (kind === 'blocked') return 'access_blocked';
  return kind === 'invalid' ? 'invalid_request_error' : 'server_error';
}

/** Caps of all dialects with the members of OpenAI and Anthropic. Of several the largest counts: no two servers agree which they read. */
export const ALL_CAPS: readonly MemberPath[] = [
  ['max_tokens'],
  ['max_completion_tokens'],
  ['max_output_tokens'],
  ['max_tokens_to_sample'],
  // Budgets of thoughts: so much of the output may be thoughts.
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
];

/** The members that say how many answers a provider makes of a prompt. */
export const CHOICES: readonly MemberPath[] = [['n'], ['best_of']];

/** Whether a body continues a stored conversation, or calls a stored prompt. */
export function namesHistory({ previous_response_id, conversation, prompt }: JsonObject): boolean {
  return isStated(previous_response_id) || isStated(conversation) || (isObject(prompt) && !Array.isArray(prompt));
}

/** OpenAI counts cached tokens as part of the prompt, and reasoning as part of the output. */
export function openAiUsage(counts: Counts, input: 'prompt' | 'input', output: string): Usage | undefined {
  const prompt = counts.of(`${input}_tokens`);
  const stated = counts.maybe(`${output}_tokens`);
  const reasoning = counts.of(`${output}_tokens_details.reasoning_tokens`);
  const made = madeOf(counts, prompt, stated, reasoning);
  if (made === undefined) return undefined;
  const cacheRead = cachedOf(counts, input);
  const uncached = counts.difference(prompt, cacheRead, `${input}_tokens`);
  // What is written may be more than the prompt has: entries are of whole blocks.
  const cacheWrite = Math.min(uncached, counts.of(`${input}_tokens_details.cache_write_tokens`));
  return {
    input: uncached - cacheWrite,
    cacheRead,
    cacheWrite,
    output: made,
    reasoning: Math.min(made, reasoning),
    complete: true,
  };
}

/** The usage of an answer that is images or sound: all of its output, but for what it states as text. */
export function openAiMediaUsage(counts: Counts, part: 'imageOutput' | 'audioOutput'): Usage | undefined {
  const usage = openAiUsage(counts, 'input', 'output');
  const text = counts.of('output_tokens_details.text_tokens');
  return usage && { ...usage, [part]: counts.difference(usage.output, text, 'output_tokens') };
}

/**
 * Returns the tokens of the answer; undefined if nothing says them. Some providers leave reasoning out of the output, but never out
 * of the total. A total above all of its parts makes no sense. Embeddings have a total alone.
 */
function madeOf(counts: Counts, prompt: number, stated: number | undefined, reasoning: number): number | undefined {
  const total = counts.maybe('total_tokens');
  if (stated === undefined) return total === undefined ? undefined : Math.max(0, total - prompt);
  if (total === undefined || total - prompt <= stated) return stated;
  return stated + counts.within(total - prompt - stated, reasoning, 'total_tokens', total);
}

/** The tokens of the prompt that came from the provider's cache. DeepSeek and Moonshot have names of their own for them. */
function cachedOf(counts: Counts, input: string): number {
  return (
    counts.maybe(`${input}_tokens_details.cached_tokens`) ??
    counts.maybe('prompt_cache_hit_tokens') ??
    counts.of('cached_tokens')
  );
}
