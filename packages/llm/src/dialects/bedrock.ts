import { isObject, isStated } from '../json-object.js';
import type { Usage } from '../usage/usage.js';
import { aws } from './aws.js';
import { nativeOf, readPiece } from './bedrock-native.js';
import { faultOfMessages } from './chat.js';
import type { Counts } from './counts.js';
import type { Address, Dialect } from './dialect.js';
import { messages } from './messages.js';
import { nameInPath } from './read-path.js';

/**
 * Bedrock's Converse, which has one form for the models of all makers. The address names the model. Events of streams are read as
 * objects with one member, which is named like the event.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const converse: Dialect = {
  format: 'bedrock-converse',
  vendor: aws,
  isModelInAddress: true,

  address: addressOf('converse', 'converse-stream'),
  recognizes: () => false,
  fault: faultOfMessages,

  caps: [['inferenceConfig', 'maxTokens']],
  // What goes to the model as it is may have a cap of its own.
  raisesCap: [
    ['additionalModelRequestFields', 'max_tokens'],
    ['additionalModelRequestFields', 'thinking', 'budget_tokens'],
    ['additionalModelRequestFields', 'inferenceConfig', 'maxTokens'],
  ],
  choices: [],

  prompt: {
    settings: new Set([
      'modelId',
      'inferenceConfig',
      'guardrailConfig',
      'performanceConfig',
      'serviceTier',
      'requestMetadata',
      'additionalModelResponseFieldPaths',
    ]),
    parts: new Set(['messages', 'system', 'toolConfig']),
    structure: new Set([
      ...['role', 'content', 'text', 'type', 'status', 'name', 'format', 'source', 'bytes', 's3Location', 'uri'],
      ...['tools', 'toolSpec', 'toolChoice', 'inputSchema', 'toolUse', 'toolUseId', 'toolResult', 'input', 'json'],
      ...['image', 'document', 'video', 'audio', 'reasoningContent', 'reasoningText', 'redactedContent'],
      ...['signature', 'cachePoint', 'guardContent'],
    ]),
    labels: new Set(['role', 'type', 'status', 'format', 'toolUseId']),
    providersOwn: new Set(['signature', 'cachePoint']),
    encrypted: new Set(['redactedContent']),
    data: new Set(['input', 'json']),
    tokenLists: new Set(),
  },
  tools: ({ toolConfig }) => (isObject(toolConfig) ? toolConfig.tools : undefined),
  // A stored prompt is filled with variables.
  namesHistory: ({ promptVariables }) => isStated(promptVariables),

  statement(event) {
    const { metadata, stopReason } = event;
    const isLast = isObject(metadata) && isObject(metadata.usage);
    const { usage, serviceTier } = isLast ? metadata : event;
    if (!isObject(usage) || !(isLast || isStated(stopReason))) return undefined;
    // The tier stands beside the usage.
    const tier = isObject(serviceTier) ? { serviceTier: serviceTier.type } : {};
    return { usage: { ...usage, ...tier }, isFinal: true };
  },

  usage(counts, stated, isKnown) {
    const { inputTokens, cacheReadInputTokens, cacheWriteInputTokens } = stated;
    const isOwn = isStated(cacheReadInputTokens) || isStated(cacheWriteInputTokens);
    return isOwn || (isKnown && isStated(inputTokens)) ? usageOf(counts) : undefined;
  },

  readOutput({ contentBlockDelta, contentBlockStart }, say) {
    if (isObject(contentBlockDelta)) readPiece(contentBlockDelta.delta, say);
    else if (isObject(contentBlockStart)) readPiece(contentBlockStart.start, say);
    else return false;
    return true;
  },
};

/**
 * Bedrock's InvokeModel with a model of Anthropic: the body is that of its messages. Each maker has another body: see `nativeOf`.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
export const invoke: Dialect = {
  ...messages,
  format: 'bedrock-invoke',
  vendor: aws,
  isModelInAddress: true,
  address: addressOf('invoke', 'invoke-with-response-stream'),
  recognizes: () => false,
  variant: ({ anthropic_version: version }, model) => (isStated(version) ? invoke : nativeOf(model)),
};

/** Paths end in the model and what is done with it: `/model/anthropic.claude-opus-5-v1%3A0/converse-stream`. */
function addressOf(whole: string, streamed: string): (path: string) => Address | undefined {
  const pattern = new RegExp(`/model/([^/]+)/(?:${whole}|(${streamed}))$`, 'i');
  return (path) => {
    const [, model, isStream] = pattern.exec(path) ?? [];
    return model === undefined ? undefined : { model: nameInPath(model), stream: isStream !== undefined };
  };
}

/**
 * Cached tokens are counted beside `inputTokens`. What is kept for an hour stands in a list.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function usageOf(counts: Counts): Usage {
  const anHour = counts.sum('cacheDetails', 'inputTokens', ({ ttl }) => ttl === '1h');
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
