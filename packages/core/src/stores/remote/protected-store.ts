import type { DeadlineBudget } from '../deadline.js';
import type { Answer, Ask, Change, ChangeReply, Check, Reply, Store, Target } from '../store.js';

/** A store that is asked over a network. */
export type NetworkStore = Store<true> & { readonly remote: NonNullable<Store['remote']> };

/** Hears a reply beside the caller that waits for it. */
export type Hearer = (reply: Reply) => void;

/** How one question is asked. */
export interface AskTerms {
  /** Of a caller who gives up before the store's deadline. */
  readonly budget?: DeadlineBudget | undefined;
  /** Gets a reply that came after the deadline, where one step decides. Default: frees the slots that it granted. */
  readonly late?: Hearer | undefined;
  /** Asks the store also where a remembered refusal would be the answer. */
  readonly isFresh?: true;
}

/** The terms of a store in front of another: it sees to its own refusals, and needs the other's newest answer. */
export const FRESH: AskTerms = { isFresh: true };

/** Any store may be asked by terms. One that protects itself keeps to them. */
export interface ProtectedStore<Async extends boolean = boolean> extends Store<Async> {
  consume(ask: Ask, terms?: AskTerms): Answer<Reply, Async>;
  /** The error of a question about these checks, while a server is known to be gone that has to decide about one. */
  unavailable?(checks: readonly Check[]): Error | undefined;
}

/** Stands before the servers of a store, and asks none that is known to be gone. */
export interface Guard {
  /** @param heard - gets the reply, too, before any who wait for it, if it came in time */
  consume(ask: Ask, terms?: AskTerms, heard?: Hearer): Promise<Reply>;
  adjust(change: Change): Promise<ChangeReply>;
  reset(targets: readonly Target[]): Promise<number>;
  /** The error of a question about these checks, while a server is known to be gone that has to decide about one. */
  unavailable(checks: readonly Check[]): Error | undefined;
  /** Resolves when what is under way is over, which takes no longer than the deadline. */
  ended(): Promise<void>;
  /** Ends all probes, of a store that is closed. From now on no breaker is between its callers and the store. */
  stop(): void;
}
