import type { Dialect } from './dialect.js';

const VECTOR: readonly number[] = [0.25, -0.5, 0.75];

/** Clients of OpenAI ask for this form unless their caller chooses another. */
const VECTOR_BASE64 = Buffer.from(Float32Array.from(VECTOR).buffer).toString('base64');

/** OpenAI's embeddings. They have no streams. */
export const embeddings: Dialect = {
  format: 'openai-embeddings',
  path: '/v1/embeddings',
  vendor: 'openai',
  hasInputOnly: true,

  json({ model, input, usage }, { body }) {
    const texts = Array.isArray(body.input) ? body.input : [body.input];
    const embedding = body.encoding_format === 'base64' ? VECTOR_BASE64 : VECTOR;
    const data = texts.map((_, index) => ({ object: 'embedding', index, embedding }));
    return { object: 'list', data, model, ...(usage && { usage: { prompt_tokens: input, total_tokens: input } }) };
  },
};
