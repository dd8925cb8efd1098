import { isObject, isStated, type JsonObject } from '../json-object.js';
import { aws } from './aws.js';
import type { Counts } from './counts.js';
import type { Dialect, Say } from './dialect.js';
import { SHARED_PROMPT } from './prompt-fields.js';

/** The member of the last event of a stream that states the usage, for the models of all makers. */
const METRICS = 'amazon-bedrock-invocationMetrics';

/** The header fields that state the usage of an answer, by the counts of the metrics. */
const FIELDS = {
  inputTokenCount: 'x-amzn-bedrock-input-token-count',
  outputTokenCount: 'x-amzn-bedrock-output-token-count',
  cacheReadInputTokenCount: 'x-amzn-bedrock-cache-read-input-token-count',
  cacheWriteInputTokenCount: 'x-amzn-bedrock-cache-write-input-token-count',
} as const;

/** The header field that says which tier has served a call. */
const TIER = 'x-amzn-bedrock-service-tier';

/** Members of bodies that ask for images, which have no tokens: Amazon's, and Stability's. */
const OF_IMAGES = ['taskType', 'imageGenerationConfig', 'text_prompts', 'aspect_ratio', 'output_format'] as const;

/**
 * Bedrock's InvokeModel with the body of another maker than Anthropic: Amazon, Meta, Mistral, Cohere or AI21. Each has members of its
 * own, so everything in the body counts as prompt. Bedrock states the usage itself, for all of them.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
 */
export const native: Dialect = {
  format: 'bedrock-native',
  vendor: aws,
  isModelInAddress: true,
  address: () => undefined,
  recognizes: () => false,
  fault(body) {
    const field = OF_IMAGES.find((name) => isStated(body[name]));
    if (field === undefined) return undefined;
    return { field, rule: 'is not offered here: what makes images states no tokens', received: body[field] };
  },

  // Of all makers: a cap that is too large is lowered, whoever reads it.
  caps: [
    ['max_tokens'],
    ['max_completion_tokens'],
    ['max_tokens_to_sample'],
    ['max_gen_len'],
    ['maxTokens'],
    ['textGenerationConfig', 'maxTokenCount'],
    ['inferenceConfig', 'maxTokens'],
    ['inferenceConfig', 'max_new_tokens'],
  ],
  addsNoCap: true,
  raisesCap: [],
  choices: [['n'], ['num_generations'], ['numResults']],

  prompt: { ...SHARED_PROMPT, settings: new Set(), parts: new Set(['messages']) },
  namesHistory: () => false,

  headerEvent(headers) {
    const tier = headers.get(TIER);
    const counts = Object.entries(FIELDS).flatMap(([count, field]) => {
      const value = headers.get(field);
      return value === null ? [] : [[count, /^\d+$/.test(value) ? Number(value) : value]];
    });
    return {
      ...(tier !== null && { service_tier: tier }),
      ...(headers.has(FIELDS.inputTokenCount) && { [METRICS]: Object.fromEntries(counts) }),
    };
  },
  statement: ({ [METRICS]: usage }) => (isObject(usage) ? { usage, isFinal: true } : undefined),
  usage: (counts, { inputTokenCount: input }) => (isStated(input) ? usageOf(counts) : undefined),
  readOutput,
};

/** The caps that the models of a maker read. Their identifiers may begin with a region: `us.meta.llama4-scout-17b-instruct-v1:0`. */
const CAPS_OF_MAKERS: readonly (readonly [maker: RegExp, caps: Dialect['caps']])[] = [
  [/\bmeta\./, [['max_gen_len']]],
  [/\bamazon\.titan/, [['textGenerationConfig', 'maxTokenCount']]],
  [
    /\bamazon\.nova/,
    [
      ['inferenceConfig', 'maxTokens'],
      ['inferenceConfig', 'max_new_tokens'],
    ],
  ],
  [/\b(?:mistral|cohere|deepseek)\./, [['max_tokens']]],
  [/\bai21\./, [['max_tokens'], ['maxTokens']]],
  [/\banthropic\./, [['max_tokens_to_sample']]],
  [/\b(?:openai|qwen)\./, [['max_tokens'], ['max_completion_tokens']]],
];

/**
 * Returns the dialect of a model. A cap that its maker does not read caps nothing, so it does not count. Nobody knows here what the model of
 * another maker reads, or which model a profile has: none of their caps counts.
 */
export function nativeOf(model: string): Dialect {
  const [, caps = []] = CAPS_OF_MAKERS.find(([maker]) => maker.test(model)) ?? [];
  return { ...native, caps };
}

function usageOf(counts: Counts): ReturnType<Dialect['usage']> {
  return {
    input: counts.of('inputTokenCount'),
    cacheRead: counts.of('cacheReadInputTokenCount'),
    cacheWrite: counts.of('cacheWriteInputTokenCount'),
    output: counts.of('outputTokenCount'),
    reasoning: 0,
    complete: true,
  };
}

/** Meta has a `generation`, Mistral `outputs`, Titan an `outputText`, Cohere a `text`, and Nova speaks as Converse does. */
function readOutput({ generation, outputs, outputText, text, contentBlockDelta }: JsonObject, say: Say): boolean {
  say(generation);
  say(outputText);
  say(text);
  if (Array.isArray(outputs)) for (const output of outputs) if (isObject(output)) say(output.text);
  if (isObject(contentBlockDelta)) readPiece(contentBlockDelta.delta, say);
  return true;
}

/** Text, thoughts, and the names and arguments of tools. */
export function readPiece(piece: unknown, say: Say): void {
  if (!isObject(piece)) return;
  const { text, toolUse, reasoningContent } = piece;
  say(text);
  if (isObject(reasoningContent)) say(reasoningContent.text);
  if (!isObject(toolUse)) return;
  say(toolUse.name);
  say(toolUse.input);
}
