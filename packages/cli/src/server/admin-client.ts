import { type CommandError, unreadableError, usageError } from '../exit-code.js';
import { unreachableReason } from './unreachable-reason.js';

/** Longer than the service takes, whose store answers within some seconds. */
const TIMEOUT_MS = 15_000;

interface Problem {
  readonly detail?: unknown;
  readonly title?: unknown;
}

/** Asks the administration of a decision service. */
export class AdminClient {
  readonly #server: URL;
  readonly #token: string;

  constructor(server: URL, token: string) {
    this.#server = server;
    this.#token = token;
  }

  /**
   * Runs a verb of the administration, and returns its answer.
   *
   * @throws CommandError 2 if the service says that the request is wrong; 3 if it cannot be asked, or cannot do it
   */
  async ask<Answer>(verb: string, input: object): Promise<Answer> {
    const response = await this.#send(verb, input);
    const answer = await this.#read(response);
    if (response.ok) return answer as Answer;
    throw this.#error(response.status, Object(answer) as Problem);
  }

  async #send(verb: string, input: object): Promise<Response> {
    try {
      return await fetch(new URL(`v1/admin/${verb}`, this.#server), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify(input),
        // The token is for this server alone.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      throw unreadableError(`cannot ask ${this.#server.href}: ${unreachableReason(error, TIMEOUT_MS)}`, error);
    }
  }

  async #read(response: Response): Promise<unknown> {
    try {
      return JSON.parse(await response.text());
    } catch (error) {
      throw unreadableError(`${this.#server.href} answered with status ${response.status}, and no JSON`, error);
    }
  }

  #error(status: number, { detail, title }: Problem): CommandError {
    const text = typeof detail === 'string' ? detail : String(title ?? `status ${status}`);
    if (status === 401) return unreadableError(`${this.#server.href} does not know the token`);
    if (status === 403) return unreadableError(`the token is not enough: ${text}`);
    return isWrongRequest(status) ? usageError(text) : unreadableError(text);
  }
}

/** Whether another command line would help: 501 says that this store cannot do it. */
function isWrongRequest(status: number): boolean {
  return status === 400 || status === 404 || status === 409 || status === 501;
}
