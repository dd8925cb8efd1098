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

  /** The answer. It lists as many mistakes as fit into `MOST_BODY_BYTES`, and always the first one. */
  get refusal(): Refusal {
    const { status, message: detail, mistakes } = this;
    const title = STATUS_CODES[status] ?? 'Error';
    const [first, ...others] = mistakes.map((mistake) => JSON.stringify(mistake)) as [string, ...string[]];
    let errors = first;
    const frame = JSON.stringify({ type: 'about:blank', title, status, detail });
    let bytes = Buffer.byteLength(frame) + ',"errors":[]'.length + Buffer.byteLength(first);
    for (const next of others) {
      bytes += Buffer.byteLength(next) + 1;
      if (bytes > MOST_BODY_BYTES) break;
      errors += `,${next}`;
    }
    return {
      status,
      headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' },
      body: `${frame.slice(0, -1)},"errors":[${errors}]}`,
    };
  }
}

/** Balancers read answers into a buffer of a few kilobytes, and take one that does not fit for none. */
const MOST_BODY_BYTES = 800;

/** A longer text of a client is cut: two mentions of it, each escaped, fit into an answer. */
const MOST_QUOTED_BYTES = 100;

/** Returns a text that a client has sent as an answer may repeat it: cut, if its JSON is long. */
export function quotable(text: string): string {
  if (text.length * 6 <= MOST_QUOTED_BYTES) return text;
  let bytes = 0;
  let cut = '';
  for (const character of text) {
    bytes += Buffer.byteLength(JSON.stringify(character)) - 2;
    if (bytes > MOST_QUOTED_BYTES) return `${cut}…`;
    cut += character;
  }
  return text;
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
