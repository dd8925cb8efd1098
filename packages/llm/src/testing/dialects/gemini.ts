import type { FullAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-call.js';
import { type Asked, type Dialect, errorBody, eventText } from './dialect.js';

const PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const EMBED_PATH = /^\/v1(?:beta)?\/models\/([^/:]+):(?:embedContent|batchEmbedContents)$/;

/**
 * Gemini's own dialect. A stream is server-sent events with `alt=sse`, and else one JSON array. By
 * https://ai.google.dev/api/generate-content and https://ai.google.dev/gemini-api/docs/text-generation#streaming-responses
 */
export const gemini: Dialect = {
  format: 'gemini-generate',
  path: PATH,
  vendor: 'google',
  asked,

  json: (answer) => ({
    candidates: candidatesOf(answer, answer.chunks.join(''), true),
    ...(answer.usage && { usageMetadata: usageOf(answer) }),
    ...head(answer),
  }),

  events(answer, call) {
    const isSse = call.query.get('alt') === 'sse';
    const write = (data: unknown, i: number): string =>
      isSse ? `data: ${JSON.stringify(data)}\r\n\r\n` : `${i === 0 ? '[' : ',\r\n'}${JSON.stringify(data)}`;
    const pieces = answer.chunks.map((text, i) => {
      const isLast = i === answer.chunks.length - 1;
      // The usage so far comes with each piece, as the real one sends it.
      const so = {
        ...answer,
        output: isLast ? answer.output : Math.min(i + 1, answer.output),
        reasoning: isLast ? answer.reasoning : 0,
      };
      return write(
        {
          candidates: candidatesOf(answer, text, isLast),
          ...(answer.usage && { usageMetadata: usageOf(so) }),
          ...head(answer),
        },
        i,
      );
    });
    const overload = errorBody('google', { status: 503, message: 'The model is overloaded.' });
    return {
      opening: '',
      pieces,
      ending: isSse ? '' : `${pieces.length === 0 ? '[' : ''}]`,
      overload: isSse ? eventText(overload) : `,${JSON.stringify(overload)}]`,
      ...(isSse ? {} : { type: 'application/json' }),
    };
  },
};

const VECTOR = { values: [0.25, -0.5, 0.75] };

/** Gemini's embeddings. By https://ai.google.dev/api/embeddings */
export const geminiEmbeddings: Dialect = {
  format: 'gemini-embed',
  path: EMBED_PATH,
  vendor: 'google',
  hasInputOnly: true,
  asked: (path) => ({ model: EMBED_PATH.exec(path)?.[1], stream: false, cap: undefined, choices: 1 }),
  json: ({ input, usage }, { body }) => ({
    ...(Array.isArray(body.requests) ? { embeddings: body.requests.map(() => VECTOR) } : { embedding: VECTOR }),
    ...(usage && { usageMetadata: { promptTokenCount: input } }),
  }),
};

function asked(path: string, { generationConfig }: FakeCall['body']): Asked {
  const [, model, action] = PATH.exec(path) ?? [];
  const { maxOutputTokens: cap, candidateCount: choices } = Object(generationConfig);
  return { model, stream: action === 'streamGenerateContent', cap, choices };
}

function candidatesOf(answer: FullAnswer, text: string, isLast: boolean): unknown[] {
  return Array.from({ length: answer.choices }, (_, index) => ({
    content: { parts: [{ text }], role: 'model' },
    ...(isLast && { finishReason: answer.isCut ? 'MAX_TOKENS' : 'STOP' }),
    index,
  }));
}

/** Thoughts are counted beside the candidates, and the cache is a part of the prompt. Nothing that is 0 is stated. */
function usageOf({ input, cacheRead, cacheWrite, output, reasoning }: FullAnswer): object {
  const prompt = input + cacheRead + cacheWrite;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - reasoning,
    totalTokenCount: prompt + output,
    ...(cacheRead > 0 && { cachedContentTokenCount: cacheRead }),
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
  };
}

function head({ model, number }: FullAnswer): object {
  return { modelVersion: model, responseId: `fake-${number}` };
}
