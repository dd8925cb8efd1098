/** All dialects of model APIs that Sluice reads. */
export const FORMATS = [
  'openai-chat',
  'openai-responses',
  'openai-completions',
  'openai-embeddings',
  'openai-images',
  'openai-speech',
  'anthropic-messages',
  'gemini-generate',
  'gemini-embed',
  'bedrock-converse',
  'bedrock-invoke',
] as const;

/** The dialects of model APIs that Sluice reads. */
export type Format = (typeof FORMATS)[number];
