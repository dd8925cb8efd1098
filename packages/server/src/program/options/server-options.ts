import type { Level } from 'pino';
import { LOOPBACK } from '../../trust/caller-check.js';
import type { StoreAddress } from './store-address.js';

/** A store that instances share. */
export interface StoreOptions {
  readonly address: StoreAddress;
  /** The beginning of all keys in Redis. Other stores have a table of their own. */
  readonly prefix: string;
  /** How long a decision waits for the store before the policy's `onStoreError` decides. */
  readonly timeoutMs: number;
  /** How many instances share the store. While it is away, each of them counts with its share of a limit. */
  readonly instances: number;
  /** Whether the start fails without the store. If not, the service starts degraded. */
  readonly isRequired: boolean;
}

/** Everything that the decision service is started with, after checks. Flags, the environment and files say it. */
export interface ServerOptions {
  /** The path of the policy file. */
  readonly file: string;
  /** The address of the traffic port and of the gRPC port. */
  readonly host: string;
  /** Ports are 0 for a free one. */
  readonly port: number;
  readonly grpcPort: number;
  /** How long a gRPC connection is used before its client is told to open another one. */
  readonly grpcConnectionAgeMs: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** Names that the administration is called by, besides addresses and localhost: others are refused. */
  readonly adminNames: readonly string[];
  /** Undefined: counts in this process. */
  readonly store: StoreOptions | undefined;
  /** How many keys are kept in this process: 1 to 16,000,000. */
  readonly maxKeys: number;
  /** Sign the tokens of reservations: the first signs, all verify. Empty: one is made at the start. */
  readonly secrets: readonly string[];
  /** Any of them lets a caller ask from beyond loopback. */
  readonly callTokens: readonly string[];
  /** Any of them may read by the administration. Empty, with no write token: both are made at the start. */
  readonly readTokens: readonly string[];
  readonly writeTokens: readonly string[];
  /** Addresses and ranges of the balancers that may tell the address of a client. */
  readonly trustedProxies: readonly string[];
  /** The field that balancers tell the address by, in lower case. Undefined: that of each endpoint. */
  readonly addressField: string | undefined;
  /** The file that gets the audit lines. Undefined: they go to the log. */
  readonly auditFile: string | undefined;
  /** How long a draining instance goes on as before, so that balancers notice. */
  readonly drainDelayMs: number;
  /** How long the last answers may take after that. */
  readonly drainDeadlineMs: number;
  readonly logLevel: Level | 'silent';
}

/** The values of options that nobody sets. */
export const DEFAULT_OPTIONS: Omit<ServerOptions, 'file'> = {
  host: '127.0.0.1',
  port: 8080,
  grpcPort: 8081,
  grpcConnectionAgeMs: 600_000,
  adminHost: '127.0.0.1',
  adminPort: 8082,
  adminNames: [],
  store: undefined,
  maxKeys: 100_000,
  secrets: [],
  callTokens: [],
  readTokens: [],
  writeTokens: [],
  trustedProxies: LOOPBACK,
  addressField: undefined,
  auditFile: undefined,
  drainDelayMs: 5000,
  drainDeadlineMs: 10_000,
  logLevel: 'info',
};

/**
 * The values of the other options of a store, if only its address is set. The timeout is the same for all stores: balancers wait for
 * 100 ms.
 */
export const DEFAULT_STORE: Omit<StoreOptions, 'address'> = {
  prefix: 'sluice:',
  timeoutMs: 50,
  instances: 1,
  isRequired: false,
};
