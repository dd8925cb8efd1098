import type { FullAnswer } from '../fake-answer.js';
import { type Dialect, errorBody, eventText } from './dialect.js';

/** Anthropic's messages. */
export const messages = {
  format: 'anthropic-messages',
  path: '/v1/messages',
  vendor: 'anthropic',

  json(answer) {
    const content = [{ type: 'text', text: answer.chunks.join('') }];
    return { ...head(answer), content, ...stopOf(answer), ...(answer.usage && { usage: usageOf(answer) }) };
  },

  events(answer) {
    const event = (type: string, data: object): string => eventText({ type, ...data }, type);
    // The first event counts one token of the answer, whatever the answer will be. Later events count from its start.
    const begun = { ...head(answer), content: [], stop_reason: null, stop_sequence: null };
    const first = answer.usage ? { usage: { ...usageOf(answer), output_tokens: 1 } } : {};
    return {
      opening: [
        event('message_start', { message: { ...begun, ...first } }),
        event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
        event('ping', {}),
      ].join(''),
      pieces: answer.chunks.map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      ending: [
        event('content_block_stop', { index: 0 }),
        event('message_delta', { delta: stopOf(answer), ...(answer.usage && { usage: usageOf(answer) }) }),
        event('message_stop', {}),
      ].join(''),
      overload: eventText(errorBody('anthropic', { status: 529, message: 'Overloaded' }), 'error'),
    };
  },
} satisfies Dialect;

function head({ number, model }: FullAnswer): object {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model };
}

function stopOf({ isCut }: FullAnswer): object {
  return { stop_reason: isCut ? 'max_tokens' : 'end_turn', stop_sequence: null };
}

/** Tokens as Anthropic states them: the input is without what the cache had. */
function usageOf({ input, cacheRead, cacheWrite, output, reasoning }: FullAnswer): object {
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: output,
    ...(reasoning > 0 && { output_tokens_details: { reasoning_tokens: reasoning } }),
  };
}
