import type { FullAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-call.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's chat completions. */
export const chat: Dialect = {
  format: 'openai-chat',
  path: '/v1/chat/completions',
  vendor: 'openai',

  json(answer) {
    const message = { role: 'assistant', content: answer.chunks.join(''), refusal: null };
    const choices = each(answer, (index) => ({ index, message, logprobs: null, finish_reason: finishOf(answer) }));
    return { ...head(answer, 'chat.completion'), choices, ...(answer.usage && { usage: usageOf(answer) }) };
  },

  events(answer, { body }) {
    const statesUsage = answer.usage && wantsUsage(body);
    const event = (choices: readonly unknown[], usage: unknown = null): string =>
      eventText({ ...head(answer, 'chat.completion.chunk'), choices, ...(statesUsage && { usage }) });
    const delta = (change: object, finish_reason: string | null = null): string =>
      event(each(answer, (index) => ({ index, delta: change, logprobs: null, finish_reason })));
    return {
      opening: delta({ role: 'assistant', content: '' }),
      pieces: answer.chunks.map((content) => delta({ content })),
      ending: `${delta({}, finishOf(answer))}${statesUsage ? event([], usageOf(answer)) : ''}${DONE}`,
      overload: OVERLOAD,
    };
  },
};

/** The last event of a stream. */
export const DONE = 'data: [DONE]\n\n';

/** How OpenAI's endpoints say within a stream that they cannot go on. */
export const OVERLOAD = eventText({
  error: { message: 'The server is overloaded', type: 'server_error', param: null, code: 'overloaded' },
});

/** Whether the caller asks for the usage of a stream. */
export function wantsUsage({ stream_options }: FakeCall['body']): boolean {
  return (Object(stream_options) as { include_usage?: unknown }).include_usage === true;
}

/** Makes one object for each choice. */
export function each<T>({ choices }: FullAnswer, make: (index: number) => T): T[] {
  return Array.from({ length: choices }, (_, index) => make(index));
}

export function finishOf({ isCut }: FullAnswer): string {
  return isCut ? 'length' : 'stop';
}

/** Tokens as chats and completions state them: the prompt includes what the cache had. */
export function usageOf({ input, cacheRead, cacheWrite, output, reasoning }: FullAnswer): unknown {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** The member `usage` of answers that are images or sound; nothing if the answer states none. */
export function mediaUsageIn({ usage, input, cacheRead, cacheWrite, output }: FullAnswer): object {
  const prompt = input + cacheRead + cacheWrite;
  const details = { text_tokens: prompt, image_tokens: 0, cached_tokens: cacheRead };
  const counts = { input_tokens: prompt, input_tokens_details: details, output_tokens: output };
  return usage ? { usage: { ...counts, total_tokens: prompt + output } } : {};
}

function head({ number, createdS, model }: FullAnswer, object: string): object {
  return { id: `chatcmpl-${number}`, object, created: createdS, model };
}
