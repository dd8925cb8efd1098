import type { Key } from '@sluice/core';
import { hash } from '@sluice/core/values';
import { type BodyChange, changedBody, changedText } from '../call/body-change.js';
import { LlmCallError } from '../call/call-error.js';
import { capChanges } from '../call/caps.js';
import type { LlmCall } from '../call/llm-call.js';
import { type ReadCallOptions, readCall } from '../call/read-call.js';
import type { Dialect } from '../dialects/dialect.js';
import type { CallAddress } from '../dialects/dialects.js';
import { memberAt } from '../dialects/member-path.js';
import { type JsonObject, parsedObject } from '../json-object.js';
import type { LlmPlan } from '../plan/llm-plan.js';
import { parsedBody } from '../request/given-body.js';
import { type FetchInput, isRequest, urlOf } from './fetch-input.js';

/** A call to a provider: what the limiter of `providerFetch` decides about. */
export interface OutgoingCall {
  /** What providers count by: the origin, a hash of the API key, and the model. Use it as the key of the limiter. */
  readonly key: Key;
  /** The address that the call goes to. */
  readonly url: string;
  /**
   * The body, parsed. If the address names the model and the body does not, it has the model, too. Of a request that is counted
   * although it was not recognized: the completion that it is counted as.
   */
  readonly body: unknown;
  readonly call: LlmCall;
  /**
   * Returns the plan, with the limits of the provider in place of larger numbers: those that its answers have stated to this
   * key, in this process. Without it, what answers state about limits changes nothing.
   */
  within(plan: LlmPlan): LlmPlan;
}

/**
 * Reads a call from the arguments of `fetch`.
 *
 * @param address - what the address says of the call; undefined if the request was not recognized
 * @throws LlmCallError `SLUICE_LLM_CALL` if the body is no call
 */
export async function readOutgoingCall(
  input: FetchInput,
  init: RequestInit,
  address: CallAddress | undefined,
  options: ReadCallOptions,
): Promise<Omit<OutgoingCall, 'within'>> {
  const url = new URL(urlOf(input));
  const text = await textOf(input, init);
  const stated = address === undefined ? asCompletion(text ?? '') : parsed(text);
  const body = withModel(stated, options.model ?? address?.model);
  const call = readCall(body, { format: 'openai-completions', ...address, ...options });
  if (text !== undefined) texts.set(call, text);
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  const secret = keyOf(headers, url);
  return { key: [url.origin, hash(secret), call.model], url: url.href, body, call };
}

/** The texts of the bodies, as they were given. */
const texts = new WeakMap<LlmCall, string>();

/** How a call is sent. */
interface Sent {
  /** The most output tokens of each choice. Undefined: as the call says. */
  readonly cap: number | undefined;
  readonly dialect: Dialect;
  /** What the operator's rules change. */
  readonly ruled: readonly BodyChange[];
}

/**
 * Returns the options of `fetch` by which a call is sent as the operator's rules and its held output say.
 *
 * @param init - as the caller gave it. It is returned as it is if nothing has to change
 */
export function changedInit(
  { body, call }: OutgoingCall,
  input: FetchInput,
  init: RequestInit,
  { cap, dialect, ruled }: Sent,
): RequestInit {
  const asked = body as JsonObject;
  const changes = [...ruled, ...capChanges(changedBody(asked, ruled), dialect, cap)];
  if (changes.every(({ path, value }) => memberAt(asked, path) === value)) return init;
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  if (SIGNED.test(headers.get('authorization') ?? ''))
    throw new LlmCallError(
      changes.map(({ path }) => path.join('.')).join(),
      `must be at most ${cap}: the body is signed, so no cap can be set in it`,
      undefined,
    );
  // Some SDKs state it.
  headers.delete('content-length');
  return { ...init, headers, body: changedText(asked, texts.get(call), changes) };
}

/** The fields by which providers know a caller. Google's also read a parameter of the address. */
const KEYS = ['x-api-key', 'api-key', 'x-goog-api-key', 'authorization'] as const;

/** A signature of AWS differs with each request, and names the key: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html */
const SIGNED = /^AWS4-\S+ Credential=([^/,]+)/;

function keyOf(headers: Headers, { searchParams }: URL): string {
  const name = KEYS.find((field) => headers.has(field));
  const key = (name === undefined ? searchParams.get('key') : headers.get(name)) ?? '';
  return SIGNED.exec(key)?.[1] ?? key;
}

/** The members of a body that say the same wherever they stand. */
const KEPT = ['model', 'stream', 'n', 'max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const;

/** Returns the call that stands for a request whose meaning nobody knows: a completion of the same text. */
function asCompletion(text: string): JsonObject {
  const body = parsedObject(text) ?? {};
  const kept = KEPT.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]);
  return { ...Object.fromEntries(kept), prompt: text };
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
  return parsedBody(text);
}
