/** The encodings of text whose tokens are estimated. */
export type Encoding = 'o200k_base' | 'cl100k_base';

/** OpenAI's models of 2022 to 2024 and their dated names, also as `gpt-35-turbo`, `openai/gpt-4` and `ft:gpt-3.5-turbo`. */
const CL100K = /(?:^|[/:])(?:gpt-4(?![o.\d])|gpt-3\.?5|text-embedding-(?:ada|3)|(?:davinci|babbage)-002)/;

/**
 * Returns the encoding that the estimate follows for a model. A model of another provider gets the newer one. Its vocabulary is as
 * large as those of other current models, while the older one has hardly a word of many scripts: Georgian would be held five
 * times.
 */
export function encodingOf(model: string): Encoding {
  return CL100K.test(model) ? 'cl100k_base' : 'o200k_base';
}
