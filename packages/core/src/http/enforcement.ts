import type { Engine } from '../limiter/engine.js';
import { type Eventual, whenReady } from '../values/eventual.js';
import type { Chain } from './chain.js';
import type { ExtraHeadersOf } from './extra-headers.js';
import type { HeaderFields } from './headers/fields.js';
import type { HttpGrantedReservation, HttpReservation } from './http-reservation.js';
import type { Refusal } from './node/problem.js';
import type { Outcome } from './node/response-end.js';
import type { HttpOptions } from './options.js';

type Args = readonly unknown[];

/** Header fields, by name. */
export type Fields = Readonly<Record<string, string>>;

/** The decision about a request, and the steps that follow from it, in the order in which a middleware takes them. */
export interface Enforcement {
  /** The value of `req.rateLimit`; absent when no limit was asked, such as for an address on the deny list. */
  readonly reservation?: HttpReservation;
  /** How long the request has to wait for its turn: `turn` does the waiting. */
  readonly delayMs: number;
  /**
   * Call it once when the request has ended, however it did, also while another step is under way. It never fails. Absent
   * when nothing is left to do then.
   */
  finish?(outcome: Outcome): Promise<void>;
  /** The fields of `extraHeaders`, to be set before `headers`. If it fails, every policy has given back its charge. */
  extraHeaders?(): Eventual<Fields>;
  /** The fields that an outer policy set, and that do not hold any more: remove them before you set `headers`. */
  readonly outdated?: readonly string[];
  /** Set these on the response, whatever becomes of it. */
  readonly headers: Fields;
  /**
   * Present when the request is refused. Once the headers are set, it calls `onLimitReached` if a limit refused (and not the
   * store's failure, or the deny list). It resolves with the refusal to send, or with undefined if `isAnswered` says that the
   * hook, or somebody else meanwhile, has answered.
   */
  refuse?(isAnswered: () => boolean): Promise<Refusal | undefined>;
  /**
   * Present when the request has to wait. Resolves when it is the request's turn. Rejects with the signal's reason when the
   * client goes away, having given back what can be.
   */
  turn?(gone: AbortSignal): Promise<void>;
}

/** The parts of a policy that all its enforcements share. */
export interface Rules<A extends Args> {
  readonly options: HttpOptions<A>;
  readonly engine: Engine<A, HttpGrantedReservation>;
  readonly fieldsOf: HeaderFields;
  /** The names, in lower case, of all fields that the policy may send. */
  readonly names: ReadonlySet<string>;
  /** Whether it sends any fields besides those that say how long to wait. */
  readonly tellsOfLimits: boolean;
  /** The names of the fields in which a refusal says how long to wait. */
  readonly retryAfter: readonly string[];
  readonly extraHeaders: ExtraHeadersOf<A> | undefined;
}

/** A request that a policy has decided about. */
export interface DecidedRequest<A extends Args> {
  readonly rules: Rules<A>;
  readonly reservation: HttpGrantedReservation & HttpReservation;
  readonly chain: Chain;
  readonly args: A;
}

/** Refuses a request that no limit is asked about: its address is on the deny list, or it has no key. */
export function turnAway(chain: Chain, refusal: Refusal): Eventual<Enforcement> {
  return whenReady(chain.cancel(), () => ({
    headers: {},
    delayMs: 0,
    refuse: async (isAnswered) => (isAnswered() ? undefined : refusal),
  }));
}

/** Gives back what the policies of the chain have charged, and throws. */
export function giveUp(chain: Chain, error: unknown): Eventual<never> {
  return whenReady(chain.cancel(), () => {
    throw error;
  });
}
