import { STATUS_CODES } from 'node:http';
import type { Refusal } from '@sluice/core/http';

/** One thing that is wrong with a request, and where it is: in a header field, a parameter of the address, or the body. */
export type InputMistake = { readonly detail: string } & (
  | { readonly header: string }
  | { readonly parameter: string }
  /** A JSON Pointer (RFC 6901) into the body; empty for the whole body. */
  | { readonly pointer: string }
);

/** Further parts of the answer to a wrong request. */
export interface InputProblemOptions {
  /** Further fields of the answer, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Why the mistakes were found. It is not sent. */
  readonly cause?: unknown;
}

/**
 * A request that cannot be answered, because of a mistake in it. Throw it from the handler of a route: the answer is a problem
 * (RFC 9457) that lists the mistakes in `errors`.
 *
 * @example throw new InputProblem(400, [{ header: 'X-Real-IP', detail: 'must be an address' }]);
 */
export class InputProblem extends Error {
  override readonly name = 'InputProblem';
  readonly status: number;
  readonly mistakes: readonly InputMistake[];
  /** Further fields of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    mistakes: readonly [InputMistake, ...InputMistake[]],
    { headers = {}, cause }: InputProblemOptions = {},
  ) {
    super(sentenceOf(mistakes[0]), cause === undefined ? {} : { cause });
    this.status = status;
    this.mistakes = mistakes;
    this.headers = headers;
  }

  /** The answer. */
  get refusal(): Refusal {
    const { status, message: detail, mistakes: errors } = this;
    const title = STATUS_CODES[status] ?? 'Error';
    return {
      status,
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
      body: JSON.stringify({ type: 'about:blank', title, status, detail, errors }),
    };
  }
}

/** Says what is wrong in one sentence that begins with the place. */
function sentenceOf(mistake: InputMistake): string {
  return `${placeOf(mistake)} ${mistake.detail}`;
}

function placeOf(mistake: InputMistake): string {
  if ('header' in mistake) return mistake.header;
  if ('parameter' in mistake) return mistake.parameter;
  return mistake.pointer === '' ? 'the body' : mistake.pointer;
}
