import type { ServerResponse } from 'node:http';
import { type Eventual, isPromise, recover, whenReady } from '../limiter/answer.js';
import type { Reservation } from '../limiter/reservation.js';
import type { Enforcement } from './enforcement.js';
import { createEnforcer, type PolicyHandle } from './enforcer.js';
import type { Host } from './host.js';
import type { HttpOptions } from './http-options.js';
import type { Refusal } from './problem.js';
import { onResponseEnd } from './response-end.js';

type Args = readonly unknown[];

/** What an adapter says of a framework in which it answers refused requests itself. */
export interface AnsweringHost<A extends Args> extends Host<A> {
  /** Node's own response. */
  responseOf(...args: A): ServerResponse;
  /** Puts the decision on the request, and the header fields on the response if it has not begun. */
  tell(reservation: Reservation | undefined, headers: Readonly<Record<string, string>>, ...args: A): void;
  /** Called before `onLimitReached` is; returns what says whether that hook, or somebody else, has answered. */
  watch(...args: A): () => boolean;
  send(refusal: Refusal, ...args: A): void;
}

/** A policy that decides about requests and carries out what it decides. */
export interface Admitter<A extends Args> extends PolicyHandle {
  /** Whether the request may go on; if not, it is answered. Given at once where nothing has to be waited for. */
  admit(...args: A): Eventual<boolean>;
  /** Calls `next` when the request may go on, with an error when a callback failed, and not at all when it is answered. */
  pass(next: (error?: unknown) => void, ...args: A): void;
}

/**
 * An enforcer for frameworks in which an adapter answers refused requests itself: what is done about a decision is the same
 * in all of them.
 *
 * @param owner - see `createEnforcer`.
 * @throws SluiceError `SLUICE_OPTION`, `SLUICE_DUPLICATE_NAME`
 * @example
 * const { pass } = createAdmitter(options, host);
 * const middleware = (req, res, next) => pass(next, req, res);
 */
export function createAdmitter<A extends Args>(
  options: HttpOptions<A>,
  host: AnsweringHost<A>,
  owner?: object,
): Admitter<A> {
  const { policy, reset, enforce } = createEnforcer(options, host, owner);
  const admit = (...args: A): Eventual<boolean> =>
    whenReady(enforce(...args), (enforcement) => enforcement === undefined || carryOut(enforcement, host, args));

  const pass = (next: (error?: unknown) => void, ...args: A): void => {
    // Without an error, next would let the request pass.
    const fail = (reason: unknown): false => {
      next(reason || new Error('A callback of rateLimit failed without a reason'));
      return false;
    };
    const admitted = recover(() => admit(...args), fail);
    if (isPromise(admitted)) admitted.then((isAdmitted) => isAdmitted && next());
    else if (admitted) next();
  };
  return { policy, reset, admit, pass };
}

function carryOut<A extends Args>(enforcement: Enforcement, host: AnsweringHost<A>, args: A): Eventual<boolean> {
  const { reservation, headers, refuse, turn, finish } = enforcement;
  if (finish) onResponseEnd(host.responseOf(...args), finish);
  host.tell(reservation, headers, ...args);
  if (refuse) {
    return whenReady(refuse(host.watch(...args)), (refusal) => {
      if (refusal) host.send(refusal, ...args);
      return false;
    });
  }
  return turn ? takeTurn(turn, host.responseOf(...args)) : true;
}

function takeTurn(turn: NonNullable<Enforcement['turn']>, response: ServerResponse): Promise<boolean> {
  const gone = new AbortController();
  onResponseEnd(response, () => gone.abort());
  return turn(gone.signal).then(
    () => true,
    (reason) => {
      // A client that has gone waits for no answer, and its handler is not run.
      if (gone.signal.aborted) return false;
      throw reason;
    },
  );
}
