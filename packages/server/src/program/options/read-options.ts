import { SluiceError } from '@sluice/core';
import { addressMatcher } from '@sluice/core/http';
import { LOOPBACK } from '../../trust/caller-check.js';
import type { CommandLine } from './command-line.js';
import { FLAGS, type Flag, type FlagName, type FlagValues, RENAMED_FLAGS, variableOf } from './flags.js';
import { readSecrets, SECRET_SOURCES } from './read-secrets.js';
import { DEFAULT_OPTIONS, DEFAULT_STORE, type ServerOptions, type StoreOptions } from './server-options.js';
import { type StartMistake, usageMistake } from './start-mistake.js';
import type { StoreAddress } from './store-address.js';

/** The variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The options of a command line and its environment, or their mistakes. */
interface ReadOptions {
  /** Present without mistakes alone. */
  readonly options?: ServerOptions;
  /** The policy file, even if other options are wrong, so that its mistakes can be told with theirs. */
  readonly file?: string;
  readonly mistakes: readonly StartMistake[];
}

/** Puts flags, variables and the files of secrets together. It finds all mistakes, and throws none of them. */
export async function readOptions(line: CommandLine, env: Environment): Promise<ReadOptions> {
  const { values, mistakes: wrongValues } = readValues(line, env);
  const { file, mistakes: wrongFile } = fileOf(line, env);
  const { secrets, mistakes: wrongSecrets } = await allSecrets(values, env);
  const mistakes = [
    ...line.unknown.map(unknownFlag),
    ...renamedVariables(env),
    ...wrongFile,
    ...wrongValues,
    ...wrongSecrets,
    ...(wrongSecrets.length === 0 ? missingSecrets(secrets, values) : []),
    ...(wrongValues.length === 0 ? [...ignored(values), ...samePorts(values)] : []),
  ];
  if (file === undefined) return { mistakes };
  if (mistakes.length > 0) return { file, mistakes };
  return { options: { ...DEFAULT_OPTIONS, ...setOptions(values), ...secrets, file }, file, mistakes };
}

type Secrets = Pick<ServerOptions, keyof typeof SECRET_SOURCES>;

/** The options that flags set, without those that nobody has given. */
function setOptions(values: FlagValues): Partial<ServerOptions> {
  const { audit, drainDelay, drainDeadline, store, host, port, grpcPort, adminHost, adminPort, adminNames } = values;
  const { grpcConnectionAge, trustedProxies, addressField, logLevel, maxKeys } = values;
  return given<ServerOptions>({
    host,
    port,
    grpcPort,
    adminHost,
    adminPort,
    adminNames,
    trustedProxies,
    addressField,
    logLevel,
    maxKeys,
    grpcConnectionAgeMs: grpcConnectionAge,
    auditFile: audit,
    drainDelayMs: drainDelay,
    drainDeadlineMs: drainDeadline,
    store: store === undefined ? undefined : storeOptions(store, values),
  });
}

function storeOptions(address: StoreAddress, values: FlagValues): StoreOptions {
  const { storePrefix: prefix, storeTimeout: timeoutMs, storeRequired: isRequired, instances } = values;
  return { ...DEFAULT_STORE, address, ...given<StoreOptions>({ prefix, timeoutMs, isRequired, instances }) };
}

/** Returns the members that are set. */
function given<T>(members: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The flag before its variable. */
function readValues({ texts }: CommandLine, env: Environment): { values: FlagValues; mistakes: StartMistake[] } {
  const values: Partial<Record<FlagName, unknown>> = {};
  const mistakes: StartMistake[] = [];
  for (const [name, { flag, value, read }] of Object.entries(FLAGS) as [FlagName, Flag][]) {
    const variable = variableOf(flag);
    const isOnLine = texts.has(name);
    const text = isOnLine ? texts.get(name) : settingOf(variable, env);
    if (isOnLine && !text) mistakes.push(usageMistake(`${flag} needs a value: ${flag} <${value}> (SLUICE_OPTION)`));
    if (!text) continue;
    try {
      values[name] = read(text, isOnLine ? flag : variable);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      mistakes.push(usageMistake(error.message));
    }
  }
  return { values: values as FlagValues, mistakes };
}

/** The address of a Service, in a variable that Kubernetes sets: `SLUICE_PORT` for one with the name `sluice`. */
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/** Returns what somebody has set a variable to. An empty one is none: that is how containers leave one out. */
function settingOf(variable: string, env: Environment): string | undefined {
  const value = env[variable] || undefined;
  const isOfService = variable.endsWith('_PORT') && value !== undefined && SERVICE_ADDRESS.test(value);
  return isOfService ? undefined : value;
}

function fileOf(line: CommandLine, env: Environment): { file?: string; mistakes: StartMistake[] } {
  const { unknown } = line;
  // The address of a store may contain a password, so no message repeats it. Behind an unknown flag it is the value.
  const files = line.files.filter((each) => !each.includes('://'));
  if (files.length < line.files.length && unknown.length === 0) {
    return { mistakes: [usageMistake('the address of a store needs its flag: --store <url> (SLUICE_OPTION)')] };
  }
  const file = files[0] ?? (env.SLUICE_FILE || undefined);
  if (file === undefined) {
    return { mistakes: [usageMistake('the policy file is missing: sluice-server sluice.yaml (SLUICE_OPTION)')] };
  }
  // Behind an unknown flag there may be its value.
  if (files.length <= 1 || unknown.length > 0) return { file, mistakes: [] };
  const more = files.slice(1).map((each) => JSON.stringify(each));
  return {
    file,
    mistakes: [usageMistake(`only one policy file is read, got ${more.join(', ')} as well (SLUICE_OPTION)`)],
  };
}

async function allSecrets(
  values: FlagValues,
  env: Environment,
): Promise<{ readonly secrets: Secrets; readonly mistakes: readonly StartMistake[] }> {
  const entries = Object.entries(SECRET_SOURCES) as [keyof Secrets, (typeof SECRET_SOURCES)[keyof Secrets]][];
  const read = await Promise.all(
    entries.map(async ([name, source]) => ({ name, ...(await readSecrets(source, values[source.flagName], env)) })),
  );
  const { secrets, callTokens, readTokens, writeTokens } = DEFAULT_OPTIONS;
  const found = Object.fromEntries(read.map(({ name, secrets }) => [name, secrets]));
  return {
    secrets: { secrets, callTokens, readTokens, writeTokens, ...found },
    mistakes: read.flatMap(({ mistakes }) => mistakes),
  };
}

const isLoopbackAddress = addressMatcher(LOOPBACK, 'loopback');

/** Whether only programs of this machine reach an address. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host);
}

/** Finds options that need a secret which is not set. */
function missingSecrets({ secrets, callTokens }: Secrets, values: FlagValues): StartMistake[] {
  const { store, host = DEFAULT_OPTIONS.host, trustedProxies } = values;
  const mistakes: StartMistake[] = [];
  if (store !== undefined && secrets.length === 0) {
    mistakes.push(
      usageMistake(
        '--store needs --secret-file or SLUICE_SECRET, the same in all instances, because each of them settles the reservations of the others: make one by openssl rand -hex 32 (SLUICE_OPTION)',
      ),
    );
  }
  if (!isLoopback(host) && callTokens.length === 0 && trustedProxies === undefined) {
    mistakes.push(
      usageMistake(
        `--host ${host} is beyond loopback, so anybody could ask: set --call-token-file, SLUICE_CALL_TOKEN or --trusted-proxies (SLUICE_OPTION)`,
      ),
    );
  }
  return mistakes;
}

const OF_STORE = ['storePrefix', 'storeTimeout', 'storeRequired', 'instances'] as const satisfies readonly FlagName[];

/** Finds flags that would be ignored without a store, or with this one. */
function ignored(values: FlagValues): StartMistake[] {
  const { store, maxKeys, storePrefix } = values;
  if (store === undefined) {
    return OF_STORE.filter((name) => values[name] !== undefined).map((name) =>
      usageMistake(`${FLAGS[name].flag} means nothing without --store: set --store too, or remove it (SLUICE_OPTION)`),
    );
  }
  const mistakes: StartMistake[] = [];
  if (maxKeys !== undefined) {
    mistakes.push(
      usageMistake('--max-keys means nothing with --store, which keeps the keys: remove one of them (SLUICE_OPTION)'),
    );
  }
  if (storePrefix !== undefined && store.kind !== 'redis') {
    mistakes.push(
      usageMistake(
        '--store-prefix is of Redis alone: remove it, and give each service a database or a file of its own (SLUICE_OPTION)',
      ),
    );
  }
  return mistakes;
}

/** Finds listeners that would share an address and a port. */
function samePorts(values: FlagValues): StartMistake[] {
  const { host, port, grpcPort, adminHost, adminPort } = { ...DEFAULT_OPTIONS, ...given<FlagValues>(values) };
  const places = [
    ['--port', host, port],
    ['--grpc-port', host, grpcPort],
    ['--admin-port', adminHost, adminPort],
  ] as const;
  return places.flatMap(([flag, host, port], i) => {
    const other = places.slice(0, i).find((each) => port !== 0 && each[1] === host && each[2] === port);
    if (!other) return [];
    return [usageMistake(`${flag} must not be the same as ${other[0]}, got ${port} (SLUICE_OPTION)`)];
  });
}

/** @param text - may contain a value after `=`, which may be a secret */
function unknownFlag(text: string): StartMistake {
  const [flag = ''] = text.split('=');
  const renamed = RENAMED_FLAGS[flag];
  if (renamed !== undefined) return usageMistake(`${flag} is now ${renamed} (SLUICE_OPTION)`);
  const known: readonly string[] = Object.values(FLAGS).map(({ flag }) => flag);
  if (known.includes(flag))
    return usageMistake(`${flag} takes no value: write ${flag} alone, or leave it out (SLUICE_OPTION)`);
  return usageMistake(`${flag} is not a flag: the flags are ${known.join(', ')} (SLUICE_OPTION)`);
}

/** A variable that nobody reads would leave the counters in memory, without a word. */
function renamedVariables(env: Environment): StartMistake[] {
  return Object.entries(RENAMED_FLAGS)
    .filter(([old]) => env[variableOf(old)])
    .map(([old, renamed]) => usageMistake(`${variableOf(old)} is now ${variableOf(renamed)} (SLUICE_OPTION)`));
}
