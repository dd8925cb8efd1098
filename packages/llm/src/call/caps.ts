import { isObject, isStated, type JsonObject } from '../json-object.js';
import { LlmCallError } from './call-error.js';
import type { Body } from './format.js';
import type { Format } from './llm-call.js';

/** Budgets of thoughts, in objects. They say how much of the output may be thoughts, and cap nothing by themselves. */
const BUDGETS = [
  ['thinking', 'budget_tokens'],
  ['reasoning', 'max_tokens'],
] as const;

/** The members that cap the output of one choice, in each dialect. The first is used if the caller set none. */
const CAPS: Readonly<Record<Format, readonly string[]>> = {
  'openai-chat': ['max_completion_tokens', 'max_tokens'],
  'openai-responses': ['max_output_tokens'],
  'openai-completions': ['max_tokens'],
  'openai-embeddings': [],
  'anthropic-messages': ['max_tokens'],
};

const ALL_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample'] as const;

/**
 * Returns the largest cap that a body states, for one choice; undefined if it has none of its dialect: a provider that ignores the
 * others makes as much as it wants. Of several the largest counts, because no two servers agree on which of them they read.
 *
 * @throws LlmCallError if a cap is no whole number of at least 0
 */
export function outputCapOf(body: Body, format: Format): number | undefined {
  const caps = ALL_CAPS.map((field) => wholeNumber(body[field], field, 0)).filter((cap) => cap !== undefined);
  const budgets = BUDGETS.map(([parent, field]) => {
    const object = body[parent];
    return isObject(object) ? wholeNumber(object[field], `${parent}.${field}`, 0) : undefined;
  }).filter((budget) => budget !== undefined);
  return CAPS[format].some((field) => isStated(body[field])) ? Math.max(...caps, ...budgets) : undefined;
}

/** Returns a body none of whose caps is above `most`, and that has one. Undefined changes nothing. */
export function withCap(body: JsonObject, format: Format, most: number | undefined): JsonObject {
  if (most === undefined) return body;
  const names = CAPS[format];
  const stated = names.filter((name) => typeof body[name] === 'number');
  const caps = stated.length === 0 ? names.slice(0, 1) : stated;
  return { ...body, ...Object.fromEntries(caps.map((name) => [name, Math.min(most, Number(body[name] ?? most))])) };
}

/**
 * Returns how many answers the provider makes: `n`, or `best_of` if it is larger, for each prompt of a completion.
 *
 * @throws LlmCallError if one of them is no whole number of at least 1
 */
export function choicesOf(body: Body, format: Format): number {
  const n = wholeNumber(body.n, 'n', 1) ?? 1;
  const bestOf = wholeNumber(body.best_of, 'best_of', 1) ?? 1;
  return times(Math.max(n, bestOf), format === 'openai-completions' ? promptsOf(body.prompt) : 1);
}

/** A product that stays a whole number. */
export function times(a: number, b: number): number {
  return Math.min(a * b, Number.MAX_SAFE_INTEGER);
}

/** A completion may have a list of prompts. A prompt is text or a list of tokens. */
function promptsOf(prompt: unknown): number {
  return Array.isArray(prompt) && typeof prompt[0] !== 'number' ? Math.max(1, prompt.length) : 1;
}

function wholeNumber(value: unknown, field: string, least: number): number | undefined {
  if (!isStated(value)) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new LlmCallError(field, `must be a whole number of at least ${least}`, value);
}
