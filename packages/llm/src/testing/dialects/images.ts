import { each, mediaUsageIn, OVERLOAD } from './chat.js';
import { type Dialect, eventText } from './dialect.js';

/** OpenAI's images. Each piece of text is a preview of a stream, and the picture at its end. */
export const images: Dialect = {
  format: 'openai-images',
  path: /^\/v1\/images\/(?:generations|edits)$/,
  vendor: 'openai',
  makes: 'imageOutput',

  json: (answer) => ({
    created: answer.createdS,
    data: each(answer, () => ({ b64_json: pictureOf(answer.chunks.join('')) })),
    ...mediaUsageIn(answer),
  }),

  events(answer) {
    const event = (type: string, data: object): string => eventText({ type, ...data }, type);
    return {
      opening: '',
      pieces: answer.chunks.map((text, partial_image_index) =>
        event('image_generation.partial_image', { b64_json: pictureOf(text), partial_image_index }),
      ),
      ending: event('image_generation.completed', {
        b64_json: pictureOf(answer.chunks.join('')),
        created_at: answer.createdS,
        ...mediaUsageIn(answer),
      }),
      overload: OVERLOAD,
    };
  },
};

function pictureOf(text: string): string {
  return Buffer.from(text).toString('base64');
}
