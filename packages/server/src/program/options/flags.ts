import { TIMEOUTS_PER_CALL } from '@sluice/core/store';
import { checkTimer, durationMs, optionError } from '@sluice/core/values';
import {
  oneOf,
  type ReadValue,
  readCount,
  readFieldName,
  readHost,
  readHosts,
  readKeys,
  readPort,
  readPrefix,
  readRanges,
  readSwitch,
  readText,
} from './read-value.js';
import { readStoreAddress } from './store-address.js';

/** A flag of the program. Its variable in the environment has the same name: `--grpc-port` is `SLUICE_GRPC_PORT`. */
export interface Flag<T = unknown> {
  readonly flag: `--${string}`;
  /** The name of the value in help. Absent: the flag is a switch. */
  readonly value?: string;
  readonly group: string;
  readonly about: string;
  /** The default as help shows it. The values themselves are `DEFAULT_OPTIONS`. */
  readonly standard?: string;
  readonly read: ReadValue<T>;
}

const LISTENING = 'Where it listens:';
const COUNTERS = 'Where it counts:';
const CALLERS = 'Who may ask:';
const OPERATION = 'Operation:';

/** A duration with its unit, or a whole number of milliseconds. */
function durationFrom(leastMs: number): ReadValue<number> {
  return (text, name) => durationMs(/^\d+$/.test(text) ? Number(text) : text, name, leastMs);
}

const readDuration = durationFrom(0);
const readDeadline = durationFrom(1);

/** Stores have timers of several times as long. */
const readTimeout: ReadValue<number> = (text, name) => {
  const ms = readDeadline(text, name);
  checkTimer(ms, name, TIMEOUTS_PER_CALL, text);
  return ms;
};
const readSeconds = durationFrom(1000);

/** Of very long ones, nobody knows whether they are meant. */
const readConnectionAge: ReadValue<number> = (text, name) => {
  const ms = readSeconds(text, name);
  if (ms <= 86_400_000) return ms;
  throw optionError(name, 'must be at most 1d', text);
};

/** All flags, in the order of help, under the names that commander gives them. */
export const FLAGS = {
  host: {
    flag: '--host',
    value: 'address',
    group: LISTENING,
    about: 'address of the traffic and gRPC ports; beyond loopback, callers need a call token or a trusted proxy',
    standard: '127.0.0.1',
    read: readHost,
  },
  port: {
    flag: '--port',
    value: 'port',
    group: LISTENING,
    about: 'traffic: HTTP of balancers and services (0: any free port)',
    standard: '8080',
    read: readPort,
  },
  grpcPort: {
    flag: '--grpc-port',
    value: 'port',
    group: LISTENING,
    about: 'traffic: gRPC, as Envoy speaks it',
    standard: '8081',
    read: readPort,
  },
  grpcConnectionAge: {
    flag: '--grpc-connection-age',
    value: 'duration',
    group: LISTENING,
    about: 'how long a gRPC connection is used before its client opens another one, which may reach a newer instance',
    standard: '10m',
    read: readConnectionAge,
  },
  adminHost: {
    flag: '--admin-host',
    value: 'address',
    group: LISTENING,
    about: 'address of the admin port',
    standard: '127.0.0.1',
    read: readHost,
  },
  adminPort: {
    flag: '--admin-port',
    value: 'port',
    group: LISTENING,
    about: 'administration and metrics, always with a token',
    standard: '8082',
    read: readPort,
  },
  adminNames: {
    flag: '--admin-names',
    value: 'list',
    group: LISTENING,
    about: 'host names that the admin port is called by, besides addresses and localhost',
    read: readHosts,
  },
  maxKeys: {
    flag: '--max-keys',
    value: 'number',
    group: COUNTERS,
    about: 'how many keys are counted in memory, each limit for itself; a key takes about 65 bytes. Not with --store',
    standard: '100000',
    read: readKeys,
  },
  store: {
    flag: '--store',
    value: 'url',
    group: COUNTERS,
    about:
      'share the counters: redis://host, rediss://host, postgres://user@host/database or sqlite:file; use the variable if the address has a password',
    standard: 'in memory',
    read: readStoreAddress,
  },
  storePrefix: {
    flag: '--store-prefix',
    value: 'text',
    group: COUNTERS,
    about: 'the beginning of all keys in Redis. Not with other stores',
    standard: 'sluice:',
    read: readPrefix,
  },
  storeTimeout: {
    flag: '--store-timeout',
    value: 'duration',
    group: COUNTERS,
    about: "how long a decision waits for the store before the policy's onStoreError decides",
    standard: '50ms',
    read: readTimeout,
  },
  storeRequired: {
    flag: '--store-required',
    group: COUNTERS,
    about: 'do not start without the store (otherwise it starts degraded, and each instance counts by itself)',
    read: readSwitch,
  },
  instances: {
    flag: '--instances',
    value: 'number',
    group: COUNTERS,
    about: 'how many instances share the store: while it is away, each counts with this share of a limit',
    standard: '1',
    read: readCount,
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    value: 'list',
    group: CALLERS,
    about: "balancers that may tell a client's address, as addresses and ranges: 10.0.0.0/8,192.0.2.7",
    standard: 'loopback',
    read: readRanges,
  },
  addressField: {
    flag: '--address-field',
    value: 'name',
    group: CALLERS,
    about: 'the one field they tell it by, on all endpoints',
    standard: 'X-Real-IP on auth-request, else X-Forwarded-For',
    read: readFieldName,
  },
  callTokenFile: {
    flag: '--call-token-file',
    value: 'file',
    group: CALLERS,
    about: 'tokens of callers from beyond loopback, one a line (or SLUICE_CALL_TOKEN)',
    read: readText,
  },
  readTokenFile: {
    flag: '--read-token-file',
    value: 'file',
    group: CALLERS,
    about: 'tokens that may read on the admin port, one a line (or SLUICE_READ_TOKEN)',
    standard: 'made at the start',
    read: readText,
  },
  writeTokenFile: {
    flag: '--write-token-file',
    value: 'file',
    group: CALLERS,
    about: 'tokens that may change there, one a line (or SLUICE_WRITE_TOKEN)',
    standard: 'made at the start',
    read: readText,
  },
  secretFile: {
    flag: '--secret-file',
    value: 'file',
    group: CALLERS,
    about: 'secrets of reservations, one a line: the first signs, all verify (or SLUICE_SECRET); needed with --store',
    standard: 'made at the start',
    read: readText,
  },
  audit: {
    flag: '--audit',
    value: 'file',
    group: OPERATION,
    about: 'append a line of JSON for every change of policies and by administrators',
    standard: 'the log',
    read: readText,
  },
  drainDelay: {
    flag: '--drain-delay',
    value: 'duration',
    group: OPERATION,
    about: 'how long a draining instance goes on as before, so that balancers notice',
    standard: '5s',
    read: readDuration,
  },
  drainDeadline: {
    flag: '--drain-deadline',
    value: 'duration',
    group: OPERATION,
    about: 'how long the last answers may take after that',
    standard: '10s',
    read: readDeadline,
  },
  logLevel: {
    flag: '--log-level',
    value: 'level',
    group: OPERATION,
    about: 'the least important lines of the log: trace, debug, info, warn, error, fatal, silent',
    standard: 'info',
    read: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Flags of former versions, with those in their place. */
export const RENAMED_FLAGS: Readonly<Record<string, string>> = {
  '--redis': '--store',
  '--redis-prefix': '--store-prefix',
  '--redis-timeout': '--store-timeout',
  '--redis-required': '--store-required',
};

export type FlagName = keyof typeof FLAGS;

/** The values that somebody has given. */
export type FlagValues = { readonly [K in FlagName]?: ReturnType<(typeof FLAGS)[K]['read']> };

/** Returns the variable of the environment that stands for a flag. */
export function variableOf(flag: string): string {
  return `SLUICE_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
}
