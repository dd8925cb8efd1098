import type { Decision } from '../values/decision.js';
import { type Eventual, isPromise, whenReady } from '../values/eventual.js';
import { type Chain, chainOf } from './chain.js';
import type { Enforcement } from './enforcement.js';
import { createEnforcer, type Enforcer } from './enforcer.js';
import type { Host } from './host.js';
import type { HttpOptions } from './http-options.js';
import type { HttpReservation } from './http-reservation.js';
import type { Refusal } from './node/problem.js';
import { type HttpResponse, onAnswer, removeHeaders, setHeaders, watchAnswer } from './node/response.js';
import type { Outcome } from './node/response-end.js';

type Args = readonly unknown[];

/** What an adapter says of a framework for what is decided to be carried out. */
export interface AdmittingHost<A extends Args> extends Host<A> {
  /** Absent where there is none to write to. */
  responseOf(...args: A): HttpResponse | undefined;
  /** Puts the decision where handlers find it. */
  keep(reservation: HttpReservation, ...args: A): void;
  /** Tells once when the call has ended, however it did. Returns the way to stop. */
  onEnd(tell: (outcome: Outcome) => unknown, ...args: A): () => void;
  /**
   * Whether the adapter tells the request's chain when the handler begins and ends, if it is run: `chain.work`. Absent
   * where it never does.
   */
  tellsOfHandler?(...args: A): boolean;
}

/** What is to be sent in place of the answer; without a decision where the address is on the deny list. */
export interface Refused {
  readonly refusal: Refusal;
  readonly decision: Decision | undefined;
}

/** What becomes of a call. It is over when it has an answer, or nobody waits for one: then nothing more is done about it. */
export type Admission = 'admitted' | 'over' | Refused;

/** A policy that decides about calls and carries out what it decides, all but the refusing. */
export interface Admitter<A extends Args> extends Omit<Enforcer<A>, 'enforce'> {
  /** Given at once where nothing has to be waited for. */
  admit(...args: A): Eventual<Admission>;
}

/**
 * An enforcer, with all that is done about a decision in the same way in all frameworks: tell the client and the handler,
 * call `onLimitReached`, wait for a turn, finish.
 *
 * @param owner - see `createEnforcer`.
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const admission = await createAdmitter(options, host).admit(req, context);
 * if (typeof admission === 'object') sendRefusal(res, admission.refusal);
 */
export function createAdmitter<A extends Args>(
  options: HttpOptions<A>,
  host: AdmittingHost<A>,
  owner?: object,
): Admitter<A> {
  const { enforce, ...policy } = createEnforcer(options, host, owner);
  const admit = (...args: A): Eventual<Admission> => {
    const enforcement = enforce(...args);
    if (!isPromise(enforcement)) return carryOut(enforcement, host, args);
    return whenReady(enforcement, (ready) => carryOut(ready, host, args));
  };
  return { ...policy, admit };
}

function carryOut<A extends Args>(
  enforcement: Enforcement | undefined,
  host: AdmittingHost<A>,
  args: A,
): Eventual<Admission> {
  if (!enforcement) return 'admitted';
  const { reservation, headers, outdated, refuse, turn, finish } = enforcement;
  const response = host.responseOf(...args);
  if (finish) {
    // Before, since a client that has left already is told of at once.
    if (host.tellsOfHandler?.(...args)) expectHandler(chainOf(host.requestOf(...args)), response);
    host.onEnd(finish, ...args);
  }
  if (reservation) host.keep(reservation, ...args);
  if (response && outdated) removeHeaders(response, outdated);
  if (response) setHeaders(response, headers);
  if (refuse) {
    const isAnswered = response ? watchAnswer(response) : () => false;
    return whenReady(refuse(isAnswered), (refusal) => (refusal ? { refusal, decision: reservation } : 'over'));
  }
  return turn ? takeTurn(turn, (tell) => host.onEnd(tell, ...args)) : 'admitted';
}

function expectHandler({ work }: Chain, response: HttpResponse | undefined): void {
  work.expectHandler((tell) => {
    if (response) onAnswer(response, tell);
  });
}

async function takeTurn(
  turn: NonNullable<Enforcement['turn']>,
  onEnd: (tell: () => void) => () => void,
): Promise<Admission> {
  const gone = new AbortController();
  const stop = onEnd(() => gone.abort());
  try {
    await turn(gone.signal);
    return 'admitted';
  } catch (reason) {
    // A client that has gone waits for no answer, and its handler is not run.
    if (gone.signal.aborted) return 'over';
    throw reason;
  } finally {
    stop();
  }
}
