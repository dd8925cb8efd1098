import type { Format } from '../call/llm-call.js';
import { isObject, isStated, type JsonObject } from '../json-object.js';
import { MOST_TOKENS, type Usage } from './usage.js';

/** A number in a usage that makes no sense. */
export interface InvalidUsage {
  /** Where it stands: `usage.completion_tokens`. */
  readonly field: string;
  /** What stands there. */
  readonly received: unknown;
}

/** A provider's usage with one meaning; the field that makes no sense; or undefined if it states no tokens. */
type StatedUsage = { readonly usage: Usage } | { readonly invalid: InvalidUsage } | undefined;

/**
 * Reads the object `usage` of an answer. The names of its fields say which dialect it has: all of them differ.
 *
 * @param format - tells OpenAI's responses from Anthropic's messages, if no field does
 */
export function statedUsage(stated: unknown, format?: Format): StatedUsage {
  if (!isObject(stated)) return undefined;
  const counts = new Counts(stated);
  const usage = read(counts, stated, format);
  if (counts.invalid) return { invalid: counts.invalid };
  return usage && { usage };
}

function read(counts: Counts, stated: JsonObject, format: Format | undefined): Usage | undefined {
  if (isStated(stated.prompt_tokens)) return openAiUsage(counts, 'prompt', 'completion');
  if (isStated(stated.cacheReadInputTokens) || isStated(stated.cacheWriteInputTokens))
    return bedrockUsage(counts, stated);
  if (isStated(stated.inputTokens) || isStated(stated.outputTokens)) return aiSdkUsage(counts, stated);
  if (!isStated(stated.input_tokens)) return undefined;
  const isOpenAi = 'input_tokens_details' in stated || 'total_tokens' in stated || format === 'openai-responses';
  return isOpenAi ? openAiUsage(counts, 'input', 'output') : anthropicUsage(counts, stated);
}

/** OpenAI counts cached tokens as part of the prompt, and reasoning as part of the output. */
function openAiUsage(counts: Counts, input: string, output: string): Usage | undefined {
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

/** Anthropic counts cached tokens beside `input_tokens`. */
function anthropicUsage(counts: Counts, stated: JsonObject): Usage | undefined {
  if (!isStated(stated.output_tokens)) return undefined;
  const output = counts.of('output_tokens');
  const anHour = counts.of('cache_creation.ephemeral_1h_input_tokens');
  const fiveMinutes = counts.of('cache_creation.ephemeral_5m_input_tokens');
  return {
    input: counts.of('input_tokens'),
    cacheRead: counts.of('cache_read_input_tokens'),
    cacheWrite: Math.max(counts.of('cache_creation_input_tokens'), anHour + fiveMinutes),
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output,
    reasoning: Math.min(output, counts.of('output_tokens_details.thinking_tokens')),
    complete: true,
  };
}

/**
 * Bedrock's Converse counts cached tokens beside `inputTokens`. It says what is kept for an hour in a list.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function bedrockUsage(counts: Counts, stated: JsonObject): Usage {
  const { cacheDetails } = stated;
  const details = Array.isArray(cacheDetails) ? cacheDetails : [];
  const anHour = details.reduce<number>(
    (sum, detail, i) =>
      sum + (isObject(detail) && detail.ttl === '1h' ? counts.of(`cacheDetails.${i}.inputTokens`) : 0),
    0,
  );
  return {
    input: counts.of('inputTokens'),
    cacheRead: counts.of('cacheReadInputTokens'),
    cacheWrite: Math.max(counts.of('cacheWriteInputTokens'), anHour),
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output: counts.of('outputTokens'),
    reasoning: 0,
    complete: true,
  };
}

/** The `ai` package has objects in its models' results, and numbers with details in its own. */
function aiSdkUsage(counts: Counts, { inputTokens, outputTokens }: JsonObject): Usage | undefined {
  const isModel = isObject(inputTokens) || isObject(outputTokens);
  const [inputs, outputs] = isModel ? ['inputTokens.', 'outputTokens.'] : ['inputTokenDetails.', 'outputTokenDetails.'];
  const suffix = isModel ? '' : 'Tokens';
  const total = counts.maybe(isModel ? 'inputTokens.total' : 'inputTokens');
  const noCache = counts.maybe(`${inputs}noCache${suffix}`);
  const reasoning = counts.of(`${outputs}reasoning${suffix}`);
  const output = counts.maybe(isModel ? 'outputTokens.total' : 'outputTokens');
  if (total === undefined && noCache === undefined && output === undefined) return undefined;
  const cacheRead = counts.of(`${inputs}cacheRead${suffix}`);
  const cacheWrite = counts.of(`${inputs}cacheWrite${suffix}`);
  // Only Anthropic's own usage, which is passed along, says how long an entry stays.
  const anHour = Math.min(cacheWrite, counts.of('raw.cache_creation.ephemeral_1h_input_tokens'));
  return {
    input:
      noCache ?? counts.difference(total ?? 0, cacheRead + cacheWrite, isModel ? 'inputTokens.total' : 'inputTokens'),
    cacheRead,
    cacheWrite,
    ...(anHour > 0 && { cacheWrite1h: anHour }),
    output: Math.max(output ?? 0, reasoning),
    reasoning,
    complete: true,
  };
}

/** Reads counts by their paths, and keeps the first one that makes no sense. */
class Counts {
  invalid: InvalidUsage | undefined;
  readonly #stated: JsonObject;

  constructor(stated: JsonObject) {
    this.#stated = stated;
  }

  /** A count; 0 if it is not stated. */
  of(path: string): number {
    return this.maybe(path) ?? 0;
  }

  /** A count; undefined if it is not stated. */
  maybe(path: string): number | undefined {
    let value: unknown = this.#stated;
    for (const name of path.split('.')) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
    if (!isStated(value)) return undefined;
    if (isCount(value)) return value;
    return this.#refuse(path, value);
  }

  /** The rest of a count of which other counts are a part. */
  difference(whole: number, parts: number, path: string): number {
    return parts <= whole ? whole - parts : this.#refuse(path, whole);
  }

  /** A part that must not be larger than another number. */
  within(part: number, most: number, path: string, received: unknown): number {
    return part <= most ? part : this.#refuse(path, received);
  }

  #refuse(path: string, received: unknown): 0 {
    this.invalid ??= { field: `usage.${path}`, received };
    return 0;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
}
