import { isObject, isStated } from '../json-object.js';
import type { Dialect } from './dialect.js';
import { openAi, openAiMediaUsage } from './openai.js';
import { SHARED_PROMPT } from './prompt-fields.js';
import { modelAndEnding } from './read-path.js';

const SETTINGS = [
  'input_fidelity',
  'output_compression',
  'size',
  'quality',
  'background',
  'moderation',
  'output_format',
  'response_format',
  'style',
];

/** Members that have pictures in them, as files of a form or by their names. */
const PARTS = ['prompt', 'image', 'image[]', 'images', 'mask'];

/** Formats of one picture. Others are drawn in several frames, or written by a second model. */
const PICTURES: readonly unknown[] = ['png', 'jpeg', 'webp'];

const made = modelAndEnding('/images/generations');
const edited = modelAndEnding('/images/edits');

/**
 * OpenAI's images, made from a text, or from a text and other images, which may come in a form. Streams have previews in them.
 *
 * @see https://platform.openai.com/docs/api-reference/images/create
 */
export const images: Dialect = {
  format: 'openai-images',
  vendor: openAi,

  address: (path) => made(path) ?? edited(path),
  fileInForm: () => ({ type: 'image' }),
  // A completion has the same members.
  recognizes: () => false,
  fault({ prompt, n, stream }) {
    if (typeof prompt !== 'string') return { field: 'prompt', rule: 'must be text', received: prompt };
    // Whether each of several images states a usage, or the last one all of it, is not documented.
    const isSeveral = stream === true && isStated(n) && n !== 1;
    return isSeveral ? { field: 'n', rule: 'must be 1 where the image is streamed', received: n } : undefined;
  },

  caps: [],
  mediaRate: 'imageOutput',
  raisesCap: [],
  choices: [['n']],
  unpriced: {
    // The colour behind the picture.
    background: () => false,
    output_format: (format) => !PICTURES.includes(format),
    svg: () => true,
    // Each preview has tokens of its own.
    partial_images: (previews) => previews !== 0,
  },

  prompt: { ...SHARED_PROMPT, settings: new Set([...SHARED_PROMPT.settings, ...SETTINGS]), parts: new Set(PARTS) },
  namesHistory: () => false,

  statement: ({ usage }) => (isObject(usage) ? { usage, isFinal: true } : undefined),
  usage: (counts, _, isKnown) => (isKnown ? openAiMediaUsage(counts, 'imageOutput') : undefined),
  readOutput: () => true,
};
