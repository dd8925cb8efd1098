import type { Decision } from './decision.js';
import { optionError } from './error.js';
import { channel, type EventChannel } from './event-channel.js';
import { checkFunction } from './option-checks.js';
import type { Priority } from './priority.js';

/**
 * Why a request is not counted: it passes by `skip` or `allowList`, or is refused by `denyList`, because nobody knows whose it is
 * (`unknown`), because a policy file blocks its customer (`blocked`), or by another decision of the application (`refused`).
 */
export type SkipReason = 'skip' | 'allowList' | 'denyList' | 'unknown' | 'blocked' | 'refused';

/** What a duration is the duration of. */
export type Timed =
  | {
      /** A call of a remote store: from the call until its reply, its failure, or its deadline. */
      readonly kind: 'store-call';
      /** The `name` of the store. */
      readonly store: string;
      /** Which method was called. */
      readonly operation: 'consume' | 'adjust' | 'reset';
    }
  | {
      /** A request that a limit admitted with a delay. The event comes before the delay. */
      readonly kind: 'delay';
      /** The name of the policy. */
      readonly policy: string;
      /** The name of the limit that delays. */
      readonly limit: string;
    }
  | {
      /** A request that waited in a line, and waits no more. */
      readonly kind: 'wait';
      /** The name of the policy whose line it is. */
      readonly policy: string;
    };

/**
 * The events that Sluice publishes on `node:diagnostics_channel`, by the name of their channel. Keys in events are
 * hashed. A runtime without such channels has them for `subscribe` alone.
 */
export interface SluiceEvents {
  /**
   * A request was decided. A `peek` publishes nothing. `keys` holds one hashed key per limit, computed when you read it;
   * `durationMs` is how long the decision took, and 0 if it had to wait for nothing, as over a store in memory.
   *
   * `encodedKeys` holds the keys as stores have them: text is its own encoding. They may be personal data, such as
   * addresses, so JSON and a spread leave them out. Both are empty if a decision service has decided, which has the keys.
   * `timesMs` is empty then, too; `timesMs[i] + decision.verdicts[i].resetAfterMs` is the end of a fixed window to the millisecond.
   */
  'sluice:decision': {
    /** What was decided. */
    readonly decision: Decision;
    /** One hashed key for each limit. */
    readonly keys: readonly string[];
    /** One key for each limit, as stores have it. */
    readonly encodedKeys: readonly string[];
    /** The store's time of the decision, in Unix milliseconds, for each limit. */
    readonly timesMs: readonly number[];
    /** How long the decision took, in milliseconds; 0 if it had to wait for nothing. */
    readonly durationMs: number;
  };
  /**
   * No limit was asked about a request. `reason` says why: see `PolicyMetrics.skipped`. A request by `skip` or `allowList`
   * passes, and all others are refused. A `peek` publishes nothing.
   */
  'sluice:skipped': {
    /** The name of the policy. */
    readonly policy: string;
    /** Why no limit was asked. */
    readonly reason: SkipReason;
  };
  /** The store failed. `source` says who decided instead; `'store'` means that no other decision was needed. */
  'sluice:store-error': {
    /** What the store failed with. */
    readonly error: unknown;
    /** The name of the policy. */
    readonly policy: string;
    /** Who decided instead. */
    readonly source: Decision['source'];
  };
  /**
   * The circuit breaker of a remote store changed its state. `node` names the server if the store has several:
   * `'10.0.0.7:6379'`, the name of a node of a ShardedStore, or the hash of a Durable Object's name. It is absent if there is one server.
   */
  'sluice:breaker': {
    /** `open`: the store is not asked. `half-open`: one request asks it, as a probe. `closed`: it is asked. */
    readonly state: 'open' | 'half-open' | 'closed';
    /** The server, if the store has several. */
    readonly node?: string;
  };
  /** A load signal became calm, or stopped being calm. `value` is the sample that changed it; NaN if the reading failed. */
  'sluice:signal': {
    /** The name of the signal. */
    readonly name: string;
    /** Whether the signal is calm now. */
    readonly isCalm: boolean;
    /** The sample that changed it, in the unit of the signal. */
    readonly value: number;
  };
  /**
   * The adaptive concurrency of a client shrank, or has grown by a fifth since the last event. `policy` is the `name` of the
   * client, and `key` the hash of the key; `limit`, `inFlight` and `waiting` are the numbers of requests in this process.
   */
  'sluice:concurrency': {
    /** The `name` of the client. */
    readonly policy: string;
    /** The hash of the key. */
    readonly key: string;
    /** How many requests may be under way at the same time. */
    readonly limit: number;
    /** How many requests are under way. */
    readonly inFlight: number;
    /** How many requests wait for their turn. */
    readonly waiting: number;
  };
  /**
   * A shedder changed the class up to which it refuses requests because of the event loop (`border`), or its limit of requests in
   * flight moved by 20 % since the last event. The limit is told without the small changes by which it looks for a better one.
   */
  'sluice:load': {
    /** The name of the shedder. */
    readonly name: string;
    /** Whether requests of some class are refused because of the event loop. */
    readonly isShedding: boolean;
    /** The most important class of which requests are refused because of the event loop; undefined while it is calm. */
    readonly border: Priority | undefined;
    /** How many requests may be in flight; Infinity without a limit. */
    readonly limit: number;
    /** The longest time, in milliseconds, that a request which is read now can have waited for the event loop. */
    readonly ageMs: number;
    /** How many requests are in flight. */
    readonly inFlight: number;
  };
  /** A duration was counted: of a store's call, of a delay, or of a wait. `kind` says which. */
  'sluice:duration': Timed & {
    /** How long it took, in milliseconds. */
    readonly durationMs: number;
  };
  /**
   * Live policies of `@sluice/config` read a text, or changed by themselves how they are enforced. `outcome` says whether a
   * text was applied, was the same as before, or was rejected for its `mistakes`.
   */
  'sluice:policy': PolicyEvent;
  /** A full memory store evicted keys that had used more than half of their quota. `keys` is their number. */
  'sluice:evicted': {
    /** How many keys were evicted. */
    readonly keys: number;
  };
}

/** What live policies did: the event `sluice:policy`. */
export interface PolicyEvent {
  /** Unix milliseconds, by the clock of the store. */
  readonly at: number;
  /** Where the text came from: a path or an address. */
  readonly origin: string;
  /** The revision of the text; empty if it could not be read. */
  readonly revision: string;
  /** The revision that decided before; undefined at the start. */
  readonly previous: string | undefined;
  /** Whether the text was applied, was the same as before, or was rejected. */
  readonly outcome: 'applied' | 'unchanged' | 'rejected';
  /** What has changed, by its place in the file: at most 1,000 changes. Customers stand there as the file names them. */
  readonly changes: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[];
  /** Why a text was rejected. */
  readonly mistakes?: readonly { readonly line: number; readonly column: number; readonly message: string }[];
  /** Who changed it, if it was not the text: `SLUICE_ENFORCEMENT`, `brake`, or the name given to `setEnforcement` or `reload`. */
  readonly by?: string;
  /** Why, as whoever changed it said. */
  readonly reason?: string;
}

/** The channel of each event. Ask `hasSubscribers` before you build a message. */
export const CHANNELS: Readonly<Record<keyof SluiceEvents, EventChannel>> = {
  'sluice:decision': channel('sluice:decision'),
  'sluice:skipped': channel('sluice:skipped'),
  'sluice:store-error': channel('sluice:store-error'),
  'sluice:breaker': channel('sluice:breaker'),
  'sluice:signal': channel('sluice:signal'),
  'sluice:concurrency': channel('sluice:concurrency'),
  'sluice:load': channel('sluice:load'),
  'sluice:duration': channel('sluice:duration'),
  'sluice:policy': channel('sluice:policy'),
  'sluice:evicted': channel('sluice:evicted'),
};

/**
 * Listens to one kind of event, and returns a function that stops listening.
 *
 * If the listener throws, the request goes on: Node reports the error as an uncaught exception, as it does for every
 * channel.
 *
 * @throws SluiceError `SLUICE_OPTION` for an unknown event, and for a listener that is no function
 * @example const stop = subscribe('sluice:store-error', ({ error }) => log.warn(error));
 */
export function subscribe<E extends keyof SluiceEvents>(
  event: E,
  listener: (message: SluiceEvents[E]) => void,
): () => void {
  if (typeof event !== 'string' || !Object.hasOwn(CHANNELS, event))
    throw optionError('event', `must be one of ${Object.keys(CHANNELS).join(', ')}`, event);
  checkFunction(listener, 'listener');
  const onMessage = (message: unknown): void => listener(message as SluiceEvents[E]);
  CHANNELS[event].subscribe(onMessage);
  return () => CHANNELS[event].unsubscribe(onMessage);
}

/** Publishes an event to its listeners. Returns at once if there are none. */
export function publish<E extends keyof SluiceEvents>(event: E, message: SluiceEvents[E]): void {
  CHANNELS[event].publish(message);
}
