import type { Outcome } from '@sluice/http/node/response-end';
import type { Admission } from './permit-of.js';

type Args = readonly unknown[];

/** The status of a response that changes the protocol of its connection. */
const SWITCHING_PROTOCOLS = 101;

/** The first status that says that the server failed. */
const SERVER_ERROR = 500;

/** An admitted request, until it ends. */
export class AdmittedRequest<A extends Args> {
  readonly #admission: Admission;
  readonly #isStreamOf: (args: A) => boolean;
  readonly #args: A;
  /** Whether it is known if the response is a stream: its header fields have gone out. */
  #isKnown = false;

  constructor(admission: Admission, isStreamOf: (args: A) => boolean, args: A) {
    this.#admission = admission;
    this.#isStreamOf = isStreamOf;
    this.#args = args;
  }

  /** The header fields of the response have gone out. From then on, a stream takes no place under the limit. */
  readonly begun = (): void => {
    if (!this.#isKnown && this.#isStreamOf(this.#args)) this.becomeStream();
    this.#isKnown = true;
  };

  /** From now on, the request takes no place under the limit: its response, or its connection, is a stream. */
  becomeStream(): void {
    this.#isKnown = true;
    this.#admission.isStream = true;
    this.#admission.permit.pause();
  }

  /**
   * The request has ended. Its duration is a sample only if the client has the whole response, and the response is no stream
   * and no failure: what fails at once, or after a fixed time, does not say how busy anything is.
   */
  readonly ended = ({ status, aborted, broken }: Outcome): void => {
    const { permit } = this.#admission;
    if (aborted || broken || status === SWITCHING_PROTOCOLS || status >= SERVER_ERROR || this.#endsStream()) {
      permit.drop();
    } else {
      permit.done();
    }
  };

  #endsStream(): boolean {
    return this.#isKnown ? this.#admission.isStream : this.#isStreamOf(this.#args);
  }
}
