import { mediaUsageIn, OVERLOAD } from './chat.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's speech, as events or as sound alone. Each piece of text is its own sound. */
export const speech: Dialect = {
  format: 'openai-speech',
  path: '/v1/audio/speech',
  vendor: 'openai',
  makes: 'audioOutput',
  asked: (_, { model, stream_format: form }) => ({ model, stream: form === 'sse', cap: undefined, choices: 1 }),

  json: mediaUsageIn,
  bytes: ({ chunks }) => ({ type: 'audio/mpeg', bytes: Buffer.from(`\u00ff${chunks.join('')}`, 'latin1') }),

  events: (answer) => ({
    opening: '',
    pieces: answer.chunks.map((text) =>
      eventText({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') }),
    ),
    ending: eventText({ type: 'speech.audio.done', ...mediaUsageIn(answer) }),
    overload: OVERLOAD,
  }),
};
