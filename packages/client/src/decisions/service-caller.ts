import { SluiceError } from '@sluice/core';
import { GuardedCalls, type SentCall } from '@sluice/core/store';
import { LimitTable } from './limit-table.js';
import { detailOf, type FailedDecision, readDecision, type ServiceDecision, WrongAnswer } from './read-answer.js';
import type { ServiceConnection, ServiceResponse } from './service-connection.js';

/** The paths of the service. */
const DECISIONS = '/v1/decisions';
const RESERVATIONS = '/v1/reservations/';

/** The service takes a thousand, and a body of a megabyte. Smaller calls keep the first answer from waiting for the last. */
const MOST_TOGETHER = 100;
const MOST_CHARACTERS = 100_000;

/** The statuses of mistakes in a request. With any other one, the service has failed: it does not have the policy, for example. */
const OF_REQUESTS: ReadonlySet<number> = new Set([400, 413]);

/** A decision that somebody waits for. */
interface Waiting {
  readonly text: string;
  readonly resolve: (decision: ServiceDecision) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls a decision service. Decisions that are asked for within one turn of the event loop go as one call, because a call costs
 * many times as much as a decision.
 */
export class ServiceCaller {
  readonly #connection: ServiceConnection;
  readonly #policy: string;
  readonly #calls: GuardedCalls;
  readonly #limits = new LimitTable();
  #waiting: Waiting[] = [];
  /** How many turns of the event loop have sent decisions. */
  #turns = 0;
  #isClosed = false;

  /** @param timeoutMs - the longest time of a call, repeats included */
  constructor(connection: ServiceConnection, policy: string, timeoutMs: number) {
    this.#connection = connection;
    this.#policy = policy;
    // An address that nobody has. A peek leaves no state.
    const probe = JSON.stringify({ policy, kind: 'peek', request: { address: '0.0.0.0' } });
    this.#calls = new GuardedCalls({
      name: 'decisions',
      timeoutMs,
      probe: () => this.#sent(DECISIONS, probe, ({ status, text }) => this.#probed(status, text)),
    });
  }

  /**
   * Asks for a decision.
   *
   * @param text - the decision to ask for, as JSON
   * @throws SluiceError `SLUICE_STORE` if the service fails, or is too late
   */
  decide(text: string): Promise<ServiceDecision> {
    if (this.#isClosed) return Promise.reject(closed());
    const unavailable = this.#calls.unavailable();
    if (unavailable) return Promise.reject(unavailable);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#sendAll());
    });
  }

  /** Settles or cancels a reservation. A reservation that is over by now stays as it is. */
  async correct(token: string, verb: 'settle' | 'cancel', body: string): Promise<void> {
    if (this.#isClosed) throw closed();
    const unavailable = this.#calls.unavailable();
    if (unavailable) throw unavailable;
    await this.#calls.run('adjust', () =>
      this.#sent(`${RESERVATIONS}${token}/${verb}`, body, ({ status, text }) => {
        if (status === 200 || status === 410) return;
        throw this.#wrongStatus(status, text);
      }),
    );
  }

  /** Waits until running calls have ended, at the latest at their deadline, and closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#calls.stop();
    // Decisions of this turn have not been sent yet.
    await new Promise(setImmediate);
    await this.#calls.ended();
    this.#connection.close();
  }

  #sendAll(): void {
    const all = this.#waiting;
    this.#waiting = [];
    this.#turns += 1;
    let from = 0;
    while (from < all.length) {
      let to = from + 1;
      let characters = (all[from] as Waiting).text.length;
      while (to < all.length && to - from < MOST_TOGETHER) {
        characters += (all[to] as Waiting).text.length;
        if (characters > MOST_CHARACTERS) break;
        to += 1;
      }
      void this.#send(all.slice(from, to), this.#turns);
      from = to;
    }
  }

  async #send(waiting: readonly Waiting[], turn: number): Promise<void> {
    const [first] = waiting;
    const isList = waiting.length > 1;
    const body = isList ? `[${waiting.map(({ text }) => text).join()}]` : (first as Waiting).text;
    try {
      const decisions = await this.#calls.run(
        'consume',
        () => this.#sent(DECISIONS, body, (response) => this.#decided(response, waiting.length)),
        -turn,
      );
      if (!decisions) for (const one of waiting) void this.#send([one], turn);
      else
        waiting.forEach(({ resolve, reject }, i) => {
          const decision = decisions[i] as ServiceDecision;
          if (hasFailed(decision)) reject(this.#failure(decision));
          else resolve(decision);
        });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Returns the decisions; undefined if the service does not take the calls together, because of one of them. */
  #decided({ status, text }: ServiceResponse, count: number): readonly ServiceDecision[] | undefined {
    if (OF_REQUESTS.has(status)) {
      if (count > 1) return undefined;
      return [{ source: 'failed', status, detail: detailOf(parsed(text)) }];
    }
    if (status !== 200) throw this.#wrongStatus(status, text);
    const value = parsed(text);
    const answers = count === 1 ? [value] : value;
    if (!Array.isArray(answers) || answers.length !== count) throw this.#wrongAnswer('the list of decisions');
    const decisions = this.#read(answers);
    const failed = decisions.filter(hasFailed);
    // As if it had been asked about one of them.
    if (failed[0] && failed.length === count) throw this.#failure(failed[0]);
    return decisions;
  }

  #read(answers: readonly unknown[]): readonly ServiceDecision[] {
    try {
      return answers.map((answer) => readDecision(answer, this.#policy, this.#limits));
    } catch (error) {
      throw error instanceof WrongAnswer ? this.#wrongAnswer(error.message) : error;
    }
  }

  /** A service that cannot count the probe works all the same. */
  #probed(status: number, text: string): void {
    if (status !== 200 && status !== 400) throw this.#wrongStatus(status, text);
    this.#decided({ status, text }, 1);
  }

  #sent<T>(path: string, body: string, read: (response: ServiceResponse) => T): SentCall<T> {
    const { answer, abandon } = this.#connection.post(path, body);
    return { answer: answer.then(read), abandon };
  }

  #wrongStatus(status: number, text: string): SluiceError {
    return this.#failure({ status, detail: detailOf(parsed(text)) });
  }

  #failure({ status, detail }: Pick<FailedDecision, 'status' | 'detail'>): SluiceError {
    return this.#connection.failure(`answered ${status}: ${detail}`);
  }

  #wrongAnswer(what: string): SluiceError {
    return this.#connection.failure(`answered what is no decision: ${what} is wrong`);
  }
}

/** Whether the service could not decide, and the request is not to blame. */
function hasFailed(decision: ServiceDecision): decision is FailedDecision {
  return decision.source === 'failed' && !OF_REQUESTS.has(decision.status);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function closed(): SluiceError {
  return new SluiceError('SLUICE_CLOSED', 'the limiter was closed');
}
