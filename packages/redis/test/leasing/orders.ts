/** What a holder is told to do. */
export interface Orders {
  readonly form: 'leased' | 'synced' | 'sharded';
  /** Of one Redis, or of each of several nodes. */
  readonly ports: readonly number[];
  readonly names: readonly string[];
  readonly instances: number;
  /** How long a slice lives, or how often the store is told. */
  readonly leaseMs: number;
  readonly slice: number;
  readonly limit: number;
  readonly windowMs: number;
  readonly keys: readonly string[];
  readonly onStoreError: 'local' | 'deny';
}

/** Numbers of a record of one admission: the key's, from when until when it was decided, whether locally. */
export const PLACES = 4;
