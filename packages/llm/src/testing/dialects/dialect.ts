import type { Format } from '../../dialects/format.js';
import type { VendorName } from '../../dialects/vendor.js';
import type { FakeRefusal, FullAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-call.js';

/** The events of a stream, as text or bytes to send. */
export interface EventTexts {
  /** Before the first piece of text. */
  readonly opening: string | Uint8Array;
  /** One for each piece of text. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** After the last piece of text. */
  readonly ending: string | Uint8Array;
  /** In the place of everything that would come after a piece: the provider is overloaded. */
  readonly overload: string | Uint8Array;
  /** The type of the body. Default: server-sent events. */
  readonly type?: string;
}

/** What a call asks for. */
export interface Asked {
  readonly model: unknown;
  readonly stream: boolean;
  /** The most tokens of one answer. */
  readonly cap: unknown;
  /** How many answers. */
  readonly choices: unknown;
}

/** How one endpoint of a provider speaks. */
export interface Dialect {
  readonly format: Format;
  /** The whole path, or what it ends in. */
  readonly path: string | RegExp;
  readonly vendor: VendorName;
  /** Whether there is no output, and no cache. */
  readonly hasInputOnly?: true;
  /** As what the prompt is billed, if it is no text. Such a prompt is in no cache. */
  readonly hears?: 'audioInput';
  /** As what the output is billed, if it is no text. */
  readonly makes?: 'imageOutput' | 'audioOutput';
  /** Returns what a call asks for, where it does not stand where OpenAI has it. */
  asked?(path: string, body: FakeCall['body']): Asked;
  /** Header fields of a whole answer, beside those of all. */
  headers?(answer: FullAnswer, call: FakeCall): Readonly<Record<string, string>>;
  /** The answer as bytes that are no JSON. Absent: it is JSON. */
  bytes?(answer: FullAnswer): { readonly type: string; readonly bytes: Buffer };
  /** The answer as one JSON text. */
  json(answer: FullAnswer, call: FakeCall): unknown;
  /** The answer as events. Absent if the endpoint has no streams. */
  events?(answer: FullAnswer, call: FakeCall): EventTexts;
}

/** One server-sent event with JSON data. */
export function eventText(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const TYPES_OF_ANTHROPIC: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const TYPES_OF_AWS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};

const STATUSES_OF_GOOGLE: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

/** Returns the body of a refusal, as the vendor writes it. */
export function errorBody(vendor: Dialect['vendor'], { status, code, message = 'Refused' }: FakeRefusal): unknown {
  if (vendor === 'anthropic')
    return { type: 'error', error: { type: code ?? TYPES_OF_ANTHROPIC[status] ?? 'api_error', message } };
  if (vendor === 'aws') return { __type: code ?? TYPES_OF_AWS[status] ?? 'InternalServerException', message };
  if (vendor === 'google')
    return { error: { code: status, message, status: code ?? STATUSES_OF_GOOGLE[status] ?? 'INTERNAL' } };
  const isLimit = status === 429;
  const type = isLimit ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: code ?? (isLimit ? 'rate_limit_exceeded' : null) } };
}
