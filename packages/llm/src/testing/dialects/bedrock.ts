import type { FullAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-call.js';
import type { Asked, Dialect } from './dialect.js';
import { frame } from './frame.js';
import { messages } from './messages.js';

const CONVERSE = /^\/model\/([^/]+)\/(converse|converse-stream)$/;
const INVOKE = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/;

const TYPE = 'application/vnd.amazon.eventstream';

/**
 * Bedrock's Converse. By https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html and
 * API_runtime_ConverseStream.html
 */
export const converse: Dialect = {
  format: 'bedrock-converse',
  path: CONVERSE,
  vendor: 'aws',
  asked: (path, { inferenceConfig }) => asked(CONVERSE, path, Object(inferenceConfig).maxTokens),

  json: (answer) => ({
    output: { message: { role: 'assistant', content: [{ text: answer.chunks.join('') }] } },
    stopReason: stopOf(answer),
    ...(answer.usage && { usage: usageOf(answer) }),
    metrics: { latencyMs: 1 },
  }),

  events: (answer) => ({
    opening: event('messageStart', { role: 'assistant' }),
    pieces: answer.chunks.map((text) => event('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
    ending: Buffer.concat([
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: stopOf(answer) }),
      event('metadata', { ...(answer.usage && { usage: usageOf(answer) }), metrics: { latencyMs: 1 } }),
    ]),
    overload: OVERLOAD,
    type: TYPE,
  }),
};

/**
 * Bedrock's InvokeModel: with a model of Anthropic, whose events come as base64 in chunks, and with one of Meta for any other body. By
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html and
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-meta.html
 */
export const invoke: Dialect = {
  format: 'bedrock-invoke',
  path: INVOKE,
  vendor: 'aws',
  asked: (path, { max_tokens, max_gen_len: cap = max_tokens }) => asked(INVOKE, path, cap),
  json: (answer, call) => (isOfAnthropic(call) ? messages.json(answer) : generationOf(answer, answer.chunks.join(''))),

  headers({ usage, input, cacheRead, cacheWrite, output }, call) {
    if (isOfAnthropic(call) || !usage) return {};
    return {
      'x-amzn-bedrock-input-token-count': String(input),
      'x-amzn-bedrock-output-token-count': String(output),
      ...(cacheRead > 0 && { 'x-amzn-bedrock-cache-read-input-token-count': String(cacheRead) }),
      ...(cacheWrite > 0 && { 'x-amzn-bedrock-cache-write-input-token-count': String(cacheWrite) }),
    };
  },

  events(answer, call) {
    if (!isOfAnthropic(call))
      return {
        opening: '',
        pieces: answer.chunks.map((text) => chunk(generationOf(answer, text))),
        ending: chunk({ ...generationOf(answer, ''), ...metricsOf(answer) }),
        overload: OVERLOAD,
        type: TYPE,
      };
    const { opening, pieces, ending } = messages.events(answer);
    return {
      opening: chunks(opening),
      pieces: pieces.map(chunks),
      ending: chunks(ending),
      overload: OVERLOAD,
      type: TYPE,
    };
  },
};

function isOfAnthropic({ body }: FakeCall): boolean {
  return body.anthropic_version !== undefined;
}

function generationOf({ input, isCut }: FullAnswer, generation: string): object {
  return { generation, prompt_token_count: input, stop_reason: isCut ? 'length' : 'stop' };
}

function metricsOf({ usage, input, cacheRead, cacheWrite, output }: FullAnswer): object {
  if (!usage) return {};
  const cached = { cacheReadInputTokenCount: cacheRead, cacheWriteInputTokenCount: cacheWrite };
  return {
    'amazon-bedrock-invocationMetrics': {
      inputTokenCount: input,
      outputTokenCount: output,
      ...cached,
      invocationLatency: 1,
    },
  };
}

const OVERLOAD = frame(
  { ':message-type': 'exception', ':exception-type': 'throttlingException', ':content-type': 'application/json' },
  { message: 'Too many tokens, please wait before trying again.' },
);

function event(type: string, payload: unknown): Buffer {
  return frame({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload);
}

/** Puts each server-sent event into a chunk. */
function chunks(events: string | Uint8Array): Buffer {
  const data = [...String(events).matchAll(/^data: (.*)$/gm)].map(([, text = '']) => text);
  return Buffer.concat(data.map(chunkOf));
}

function chunk(data: unknown): Buffer {
  return chunkOf(JSON.stringify(data));
}

function chunkOf(text: string): Buffer {
  return event('chunk', { bytes: Buffer.from(text).toString('base64') });
}

function asked(pattern: RegExp, path: string, cap: unknown): Asked {
  const [, model = '', action = ''] = pattern.exec(path) ?? [];
  return { model: decodeURIComponent(model), stream: action.endsWith('stream'), cap, choices: 1 };
}

function stopOf({ isCut }: FullAnswer): string {
  return isCut ? 'max_tokens' : 'end_turn';
}

/** Cached tokens are counted beside the input. */
function usageOf({ input, cacheRead, cacheWrite, output }: FullAnswer): object {
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + cacheRead + cacheWrite + output,
    ...(cacheRead > 0 && { cacheReadInputTokens: cacheRead }),
    ...(cacheWrite > 0 && { cacheWriteInputTokens: cacheWrite }),
  };
}
