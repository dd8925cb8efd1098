import type { Receiver } from '../../values/deferred.js';
import type { DeadlineBudget } from '../deadline.js';
import type { Ask, Change, ChangeReply, Check, Consumed, Reply, Store, Target } from '../store.js';

/** A store that is asked over a network. */
export type NetworkStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

/** Gets a reply that no caller waits for. */
export type Hearer = (reply: Reply) => void;

/** How one ask is made. */
export interface AskTerms {
  /** The budget of a caller that gives up before the store's deadline. */
  readonly budget?: DeadlineBudget | undefined;
  /**
   * Gets a reply that came after the deadline, if a single step decides. Default: the slots that it granted are freed.
   */
  readonly late?: Hearer | undefined;
  /** Asks the store even if a cached refusal exists. */
  readonly isFresh?: true;
}

/** The terms of a store in front of another one: it has its own cache of refusals, and needs the newest reply. */
export const FRESH: AskTerms = { isFresh: true };

/** A store that can be asked with terms. A store that protects itself follows them. */
export interface ProtectedStore<Async extends boolean = boolean> extends Store<Async> {
  consume(ask: Ask, terms?: AskTerms): Consumed<Async>;
  /**
   * Returns the error that an ask or a change gets if a server that has to decide about one of its checks is known to be
   * unreachable.
   */
  unavailable?(asked: Ask | Change): Error | undefined;
}

/** Guards the servers of a store. It does not ask a server that is known to be unreachable. */
export interface Guard {
  /** Asks. The receiver gets the reply, or the error at the deadline. */
  ask(ask: Ask, receiver: Receiver<Reply>, terms?: AskTerms): void;
  adjust(change: Change): Promise<ChangeReply>;
  reset(targets: readonly Target[]): Promise<number>;
  /** Runs another call about this target. */
  run<T>(call: () => Promise<T>, target: Target | undefined): Promise<T>;
  /**
   * Returns the error of an ask about these checks if a server that has to decide about one of them is known to be
   * unreachable.
   */
  unavailable(checks: readonly Check[]): Error | undefined;
  /** Resolves when running calls have ended, at the latest at their deadline. */
  ended(): Promise<void>;
  /** Ends all probes, because the store is closed. From now on, calls reach the store without a breaker. */
  stop(): void;
}
