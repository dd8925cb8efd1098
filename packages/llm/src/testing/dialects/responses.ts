import type { FullAnswer } from '../fake-answer.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's responses. */
export const responses: Dialect = {
  format: 'openai-responses',
  path: '/v1/responses',
  vendor: 'openai',

  json: (answer) => responseOf(answer, answer.isCut ? 'incomplete' : 'completed'),

  events(answer) {
    let sequence_number = 0;
    const event = (type: string, data: object): string =>
      eventText({ type, sequence_number: sequence_number++, ...data }, type);
    const at = { item_id: idOf('msg', answer), output_index: 0, content_index: 0 };
    const text = answer.chunks.join('');
    const status = answer.isCut ? 'incomplete' : 'completed';
    return {
      opening: [
        event('response.created', { response: responseOf(answer, 'in_progress') }),
        event('response.in_progress', { response: responseOf(answer, 'in_progress') }),
        event('response.output_item.added', { output_index: 0, item: itemOf(answer, 'in_progress') }),
        event('response.content_part.added', { ...at, part: partOf('') }),
      ].join(''),
      pieces: answer.chunks.map((delta) => event('response.output_text.delta', { ...at, delta, logprobs: [] })),
      ending: [
        event('response.output_text.done', { ...at, text, logprobs: [] }),
        event('response.content_part.done', { ...at, part: partOf(text) }),
        event('response.output_item.done', { output_index: 0, item: itemOf(answer, status) }),
        event(`response.${status}`, { response: responseOf(answer, status) }),
      ].join(''),
      overload: event('error', { code: 'server_is_overloaded', message: 'The server is overloaded', param: null }),
    };
  },
};

type Status = 'in_progress' | 'completed' | 'incomplete';

function responseOf(answer: FullAnswer, status: Status): object {
  const isOver = status !== 'in_progress';
  return {
    id: idOf('resp', answer),
    object: 'response',
    created_at: answer.createdS,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    model: answer.model,
    output: isOver ? [itemOf(answer, status)] : [],
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    metadata: {},
    usage: isOver && answer.usage ? usageOf(answer) : null,
  };
}

function itemOf(answer: FullAnswer, status: Status): object {
  const content = status === 'in_progress' ? [] : [partOf(answer.chunks.join(''))];
  return { id: idOf('msg', answer), type: 'message', status, role: 'assistant', content };
}

function partOf(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function usageOf({ input, cacheRead, cacheWrite, output, reasoning }: FullAnswer): object {
  const prompt = input + cacheRead + cacheWrite;
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + output,
  };
}

function idOf(prefix: string, { number }: FullAnswer): string {
  return `${prefix}_${number}`;
}
