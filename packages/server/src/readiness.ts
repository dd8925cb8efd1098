/** The state that the health endpoints show. The program keeps it. */
export interface Readiness {
  /** Whether the policies are loaded, and the program is not draining. A lost store leaves it ready: see `degraded`. */
  readonly isReady: boolean;
  /** Why decisions are not those of the store now, such as `redis: timeout`; empty if all is well. */
  readonly degraded: readonly string[];
  /** Calls `notify` each time `isReady` changes. Returns a function that ends it. */
  onChange(notify: () => void): () => void;
}
