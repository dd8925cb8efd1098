import type { DeadlineBudget } from '@sluice/core/src/stores/deadline';
import type {
  Change,
  ChangeResponse,
  Consumed,
  LimitCheck,
  Store,
  StoreRequest,
  StoreResponse,
  Target,
} from '@sluice/core/src/stores/store';

/** Gets a response that came after the deadline, so that no caller waits for it. */
export type LateListener = (response: StoreResponse) => void;

/** How one request is made. */
export interface RequestTerms {
  /** The budget of a caller that gives up before the store's deadline. */
  readonly budget?: DeadlineBudget | undefined;
  /**
   * Gets a response that came after the deadline, if a single step decides. Default: the slots that it granted are freed.
   */
  readonly late?: LateListener | undefined;
  /** Asks the store even if a cached refusal exists. */
  readonly isFresh?: true;
}

/** The terms of a store in front of another one: it has its own cache of refusals, and needs the newest response. */
export const FRESH: RequestTerms = { isFresh: true };

/** A store that can be asked with terms. A store that protects itself follows them. */
export interface ProtectedStore<Async extends boolean = boolean> extends Store<Async> {
  consume(request: StoreRequest, terms?: RequestTerms): Consumed<Async>;
  /**
   * Returns the error that a request or a change gets if a server that has to decide about one of its checks is known to be
   * unreachable.
   */
  unavailable?(asked: StoreRequest | Change): Error | undefined;
}

/** Marks the start of a request: the time, and how many changes this process had made. The cache of refusals learns from its response. */
export interface RequestMark {
  readonly cache: { learn(mark: RequestMark, response: StoreResponse): void };
  readonly request: StoreRequest;
  readonly askedMs: number;
  readonly changes: number;
}

/** Guards the servers of a store. It does not ask a server that is known to be unreachable. */
export interface Guard {
  /**
   * Asks. The result is there at the deadline at the latest.
   *
   * @param mark - of the request, if the cache of refusals learns from the response
   */
  ask(request: StoreRequest, terms?: RequestTerms, mark?: RequestMark): PromiseLike<StoreResponse>;
  adjust(change: Change): Promise<ChangeResponse>;
  reset(targets: readonly Target[]): Promise<number>;
  /** Runs another call about this target. */
  run<T>(call: () => Promise<T>, target: Target | undefined): Promise<T>;
  /**
   * Returns the error of a request about these checks if a server that has to decide about one of them is known to be
   * unreachable.
   */
  unavailable(checks: readonly LimitCheck[]): Error | undefined;
  /** Resolves when running calls have ended, at the latest at their deadline. */
  ended(): Promise<void>;
  /** Ends all probes, because the store is closed. From now on, calls reach the store without a breaker. */
  stop(): void;
}
