import type { FullAnswer } from '../fake-answer.js';
import { OVERLOAD } from './chat.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's transcriptions. All of the prompt is sound. */
export const transcriptions: Dialect = {
  format: 'openai-transcriptions',
  path: '/v1/audio/transcriptions',
  vendor: 'openai',
  hears: 'audioInput',

  json: (answer) => ({ text: answer.chunks.join(''), ...usageIn(answer) }),

  events: (answer) => ({
    opening: '',
    pieces: answer.chunks.map((delta) => eventText({ type: 'transcript.text.delta', delta })),
    ending: eventText({ type: 'transcript.text.done', text: answer.chunks.join(''), ...usageIn(answer) }),
    overload: OVERLOAD,
  }),
};

/** It knows no cache. By https://platform.openai.com/docs/api-reference/audio/json-object */
function usageIn({ usage, input, cacheRead, cacheWrite, output }: FullAnswer): object {
  const prompt = input + cacheRead + cacheWrite;
  const details = { text_tokens: 0, audio_tokens: prompt };
  const counts = { input_tokens: prompt, input_token_details: details, output_tokens: output };
  return usage ? { usage: { type: 'tokens', ...counts, total_tokens: prompt + output } } : {};
}
