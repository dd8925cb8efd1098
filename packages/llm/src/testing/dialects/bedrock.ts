import type { FullAnswer } from '../fake-answer.js';

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
 * Bedrock's InvokeModel with a model of Anthropic, whose events come as base64 in chunks. By
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
 */
export const invoke: Dialect = {
  format: 'bedrock-invoke',
  path: INVOKE,
  vendor: 'aws',
  asked: (path, { max_tokens }) => asked(INVOKE, path, max_tokens),
  json: messages.json,

  events(answer) {
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
  return Buffer.concat(data.map((text) => event('chunk', { bytes: Buffer.from(text).toString('base64') })));
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
