import { mediaUsageIn, OVERLOAD } from './chat.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's speech, as events. Each piece of text is its own sound. */
export const speech: Dialect = {
  format: 'openai-speech',
  path: '/v1/audio/speech',
  vendor: 'openai',
  makes: 'audioOutput',
  asked: (_, { model }) => ({ model, stream: true, cap: undefined, choices: 1 }),

  json: mediaUsageIn,

  events: (answer) => ({
    opening: '',
    pieces: answer.chunks.map((text) =>
      eventText({ type: 'speech.audio.delta', audio: Buffer.from(text).toString('base64') }),
    ),
    ending: eventText({ type: 'speech.audio.done', ...mediaUsageIn(answer) }),
    overload: OVERLOAD,
  }),
};
