/**
 * `@sluice/llm/fetch`: a `fetch` for the SDKs of language models that stays below the limits of a provider. It needs the
 * package `@sluice/client`.
 *
 * @module
 */

export type { OutgoingCall } from './outgoing-call.js';
export { providerFetch } from './provider-fetch.js';
export type { ProviderFetchOptions } from './provider-fetch-options.js';
