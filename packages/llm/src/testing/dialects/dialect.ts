import type { Format } from '../../dialects/format.js';
import type { FakeRefusal, FullAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-call.js';

/** The events of a stream, as text to send. */
export interface EventTexts {
  /** Before the first piece of text. */
  readonly opening: string;
  /** One for each piece of text. */
  readonly pieces: readonly string[];
  /** After the last piece of text. */
  readonly ending: string;
  /** In the place of everything that would come after a piece: the provider is overloaded. */
  readonly overload: string;
}

/** How one endpoint of a provider speaks. */
export interface Dialect {
  readonly format: Format;
  readonly path: string;
  readonly vendor: 'openai' | 'anthropic';
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

/** Returns the body of a refusal, as the vendor writes it. */
export function errorBody(vendor: Dialect['vendor'], { status, code, message = 'Refused' }: FakeRefusal): unknown {
  if (vendor === 'anthropic')
    return { type: 'error', error: { type: code ?? TYPES_OF_ANTHROPIC[status] ?? 'api_error', message } };
  const isLimit = status === 429;
  const type = isLimit ? 'requests' : status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: code ?? (isLimit ? 'rate_limit_exceeded' : null) } };
}
