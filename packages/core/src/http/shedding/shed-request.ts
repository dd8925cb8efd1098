import type { Permit } from '../../load/shedder.js';
import type { Outcome } from '../node/response-end.js';

type Args = readonly unknown[];

/** The status of a response that changes the protocol of its connection. */
const SWITCHING_PROTOCOLS = 101;

/** The first status that says that the server failed. */
const SERVER_ERROR = 500;

/** An admitted request, until it ends. */
export class ShedRequest<A extends Args> {
  readonly #permit: Permit;
  readonly #isStreamOf: (args: A) => boolean;
  readonly #args: A;
  /** Undefined while the header fields have not gone out. */
  #isStream: boolean | undefined;

  constructor(permit: Permit, isStreamOf: (args: A) => boolean, args: A) {
    this.#permit = permit;
    this.#isStreamOf = isStreamOf;
    this.#args = args;
  }

  /** The header fields of the response have gone out. From then on, a stream takes no place under the limit. */
  readonly begun = (): void => {
    if (this.#isStream !== undefined) return;
    this.#isStream = this.#isStreamOf(this.#args);
    if (this.#isStream) this.#permit.pause();
  };

  /**
   * The request has ended. Its duration is a sample only if the client has the whole response, and the response is no stream
   * and no failure: what fails at once, or after a fixed time, does not say how busy anything is.
   */
  readonly ended = ({ status, aborted, broken }: Outcome): void => {
    if (aborted || broken || status === SWITCHING_PROTOCOLS || status >= SERVER_ERROR || this.#endsStream()) {
      this.#permit.drop();
    } else {
      this.#permit.done();
    }
  };

  #endsStream(): boolean {
    this.#isStream ??= this.#isStreamOf(this.#args);
    return this.#isStream;
  }
}
