/**
 * `@sluice/llm/testing`: a provider of language models for tests and examples. It runs on the loopback interface and
 * answers like OpenAI, Anthropic, Gemini and Bedrock.
 *
 * @example
 * const provider = await createFakeProvider();
 * const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'any' });
 * @module
 */

export type { FakeAnswer, FakeAnswers, FakeRefusal } from './fake-answer.js';
export type { FakeCall, FakeEnd } from './fake-call.js';
export { createFakeProvider, type FakeProvider, type FakeProviderOptions } from './fake-provider.js';
