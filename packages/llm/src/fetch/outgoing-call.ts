import type { Key } from '@sluice/core';
import { hash } from '@sluice/core/http';
import { LlmCallError } from '../call/call-error.js';
import type { Format, LlmCall } from '../call/llm-call.js';
import { type ReadCallOptions, readCall } from '../call/read-call.js';
import type { LlmPlan } from '../plan/llm-plan.js';
import { formatOfPath } from '../request/format-by-path.js';

/** A call to a provider: what the limiter of `providerFetch` decides about. */
export interface OutgoingCall {
  /** What providers count by: the origin, a hash of the API key, and the model. Use it as the key of the limiter. */
  readonly key: Key;
  /** The address that the call goes to. */
  readonly url: string;
  /** The body, parsed. If the address names the model and the body does not, it has the model, too. */
  readonly body: unknown;
  readonly call: LlmCall;
  /**
   * Returns the plan, with the limits of the provider in place of larger numbers: those that its answers have stated to this
   * key, in this process. Without it, what answers state about limits changes nothing.
   */
  within(plan: LlmPlan): LlmPlan;
}

/** The arguments of `fetch`. */
export type FetchInput = Parameters<typeof fetch>[0];

/** Returns the dialect of a request by its method and path; undefined if it is no call of a model. */
export function formatOfRequest(input: FetchInput, init: RequestInit): Format | undefined {
  const method = init.method ?? (isRequest(input) ? input.method : 'GET');
  if (method.toUpperCase() !== 'POST') return undefined;
  return formatOfPath(new URL(urlOf(input)).pathname);
}

/**
 * Reads a call from the arguments of `fetch`.
 *
 * @throws LlmCallError `SLUICE_LLM_CALL` if the body is no call
 */
export async function readOutgoingCall(
  input: FetchInput,
  init: RequestInit,
  options: ReadCallOptions,
): Promise<Omit<OutgoingCall, 'within'>> {
  const url = new URL(urlOf(input));
  const body = withModel(parsed(await textOf(input, init)), options.model ?? deploymentOf(url));
  const format = options.format ?? formatOfRequest(input, init);
  const call = readCall(body, { ...options, ...(format && { format }) });
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  const secret = headers.get('x-api-key') ?? headers.get('api-key') ?? headers.get('authorization') ?? '';
  return { key: [url.origin, hash(secret), call.model], url: url.href, body, call };
}

/** Azure's addresses name the model, and its bodies need not. */
function deploymentOf({ pathname }: URL): string | undefined {
  const name = /\/deployments\/([^/]+)\//.exec(pathname)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** Names the model in a body that does not, so that everybody who reads the body finds it. */
function withModel(body: unknown, model: string | undefined): unknown {
  const lacksModel = typeof body === 'object' && body !== null && !('model' in body);
  return lacksModel && model !== undefined ? { ...body, model } : body;
}

/** The text of the body. SDKs pass it as text. */
async function textOf(input: FetchInput, { body }: RequestInit): Promise<string | undefined> {
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  if (body === undefined && isRequest(input)) return input.clone().text();
  return undefined;
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) throw new LlmCallError('body', 'must be JSON, as text', undefined);
  try {
    return JSON.parse(text);
  } catch {
    throw new LlmCallError('body', 'must be JSON', text);
  }
}

function urlOf(input: FetchInput): string {
  return isRequest(input) ? input.url : String(input);
}

/** Whether the input is a request, also of another copy of the class. */
function isRequest(input: FetchInput): input is Request {
  return typeof input === 'object' && 'method' in input && 'headers' in input;
}
