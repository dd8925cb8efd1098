/** All dialects of single calls of model APIs that Sluice reads. */
export const FORMATS = [
  'openai-chat',
  'openai-responses',
  'openai-completions',
  'openai-embeddings',
  'openai-images',
  'openai-speech',
  'openai-transcriptions',
  'anthropic-messages',
  'gemini-generate',
  'gemini-embed',
  'bedrock-converse',
  'bedrock-invoke',
  'bedrock-native',
] as const;

/** The dialects of single calls. */
export type CallFormat = (typeof FORMATS)[number];

/** The dialects of batches, which have calls of the other dialects in them. */
export type BatchFormat = 'openai-batches' | 'anthropic-batches';

/** The dialects of model APIs that Sluice reads. */
export type Format = CallFormat | BatchFormat;
