import type { LlmCallError } from '../call/call-error.js';
import { type CallRefusal, isByBudget, type RefusalKind } from './call-refusal.js';
import type { LimitNumbers } from './limit-numbers.js';

/** The form of error bodies. */
export type ErrorForm = 'openai' | 'anthropic' | 'problem';

/** The member `error` that OpenAI's SDKs read, and with it most clients. */
interface OpenAiError {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

/** The body that Anthropic's SDKs read. */
interface AnthropicError {
  readonly type: 'error';
  readonly error: { readonly type: string; readonly message: string };
}

/** Returns the OpenAI error of a refusal. */
function openAiRefusal(refusal: CallRefusal, message: string): OpenAiError {
  const code = isByBudget(refusal) ? OPENAI_CODES.budget : OPENAI_CODES[refusal.kind];
  return { message, type: openAiType(refusal), param: null, code };
}

const OPENAI_CODES: Readonly<Record<RefusalKind, string>> = {
  rate: 'rate_limit_exceeded',
  size: 'rate_limit_exceeded',
  budget: 'insufficient_quota',
  blocked: 'access_blocked',
  unavailable: 'service_unavailable',
};

function openAiType(refusal: CallRefusal): string {
  const { kind, main } = refusal;
  if (isByBudget(refusal)) return 'insufficient_quota';
  if (kind === 'blocked') return 'access_blocked';
  if (kind === 'unavailable') return 'server_error';
  const counts = main?.limit?.dimension.counts;
  return counts === undefined || counts === 'requests' || counts === 'slots' ? 'requests' : 'tokens';
}

/** Returns the Anthropic error of a refusal. */
function anthropicRefusal({ kind }: CallRefusal, message: string): AnthropicError {
  return { type: 'error', error: { type: ANTHROPIC_TYPES[kind], message } };
}

const ANTHROPIC_TYPES: Readonly<Record<RefusalKind, string>> = {
  rate: 'rate_limit_error',
  size: 'rate_limit_error',
  budget: 'rate_limit_error',
  blocked: 'permission_error',
  unavailable: 'overloaded_error',
};

/** Returns the members that a refusal adds to its problem. */
export function problemMembers(
  refusal: CallRefusal,
  message: string,
  limits: readonly LimitNumbers[],
): Readonly<Record<string, unknown>> {
  return { detail: message, error: openAiRefusal(refusal, message), limits };
}

/** Returns the body of a refusal that is no problem. */
export function refusalBody(
  form: Exclude<ErrorForm, 'problem'>,
  refusal: CallRefusal,
  message: string,
  limits: readonly LimitNumbers[],
): Readonly<Record<string, unknown>> {
  const body = form === 'openai' ? { error: openAiRefusal(refusal, message) } : anthropicRefusal(refusal, message);
  return { ...body, limits };
}

/** Returns the OpenAI error for a body that is no call. */
export function openAiCallError({ field, message }: LlmCallError): OpenAiError {
  const code = field === 'model' ? 'model_not_found' : null;
  return { message, type: 'invalid_request_error', param: field === 'body' ? null : field, code };
}

/** Returns the Anthropic error for a body that is no call. */
export function anthropicCallError({ message }: LlmCallError): AnthropicError {
  return { type: 'error', error: { type: 'invalid_request_error', message } };
}
