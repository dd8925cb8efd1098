import { SluiceError } from '@sluice/core';
import type { CommandLine } from './command-line.js';
import { FLAGS, type Flag, type FlagName, type FlagValues, variableOf } from './flags.js';
import { isLoopback } from './loopback.js';
import { readSecrets, SECRET_SOURCES } from './read-secrets.js';
import { DEFAULT_OPTIONS, DEFAULT_REDIS, type RedisOptions, type ServerOptions } from './server-options.js';
import { type StartMistake, usageMistake } from './start-mistake.js';

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
  const { audit, drainDelay, drainDeadline, redis, host, port, grpcPort, adminHost, adminPort, adminNames } = values;
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
    redis: redis === undefined ? undefined : redisOptions(redis, values),
  });
}

function redisOptions(url: string, values: FlagValues): RedisOptions {
  const { redisPrefix: prefix, redisTimeout: timeoutMs, redisRequired: isRequired, instances } = values;
  return { ...DEFAULT_REDIS, url, ...given<RedisOptions>({ prefix, timeoutMs, isRequired, instances }) };
}

/** Returns the members that are set. */
function given<T>(members: { readonly [K in keyof T]?: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** The flag before its variable. An empty variable is none: that is how containers leave one out. */
function readValues({ texts }: CommandLine, env: Environment): { values: FlagValues; mistakes: StartMistake[] } {
  const values: Partial<Record<FlagName, unknown>> = {};
  const mistakes: StartMistake[] = [];
  for (const [name, { flag, value, read }] of Object.entries(FLAGS) as [FlagName, Flag][]) {
    const variable = variableOf(flag);
    const isOnLine = texts.has(name);
    const text = isOnLine ? texts.get(name) : env[variable] || undefined;
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

function fileOf({ files, unknown }: CommandLine, env: Environment): { file?: string; mistakes: StartMistake[] } {
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

/** Finds options that need a secret which is not set. */
function missingSecrets({ secrets, callTokens }: Secrets, values: FlagValues): StartMistake[] {
  const { redis, host = DEFAULT_OPTIONS.host, trustedProxies } = values;
  const mistakes: StartMistake[] = [];
  if (redis !== undefined && secrets.length === 0) {
    mistakes.push(
      usageMistake(
        '--redis needs --secret-file or SLUICE_SECRET, the same in all instances, because each of them settles the reservations of the others: make one by openssl rand -hex 32 (SLUICE_OPTION)',
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

const OF_REDIS = ['redisPrefix', 'redisTimeout', 'redisRequired', 'instances'] as const satisfies readonly FlagName[];

/** Finds flags that would be ignored without Redis, or with it. */
function ignored(values: FlagValues): StartMistake[] {
  if (values.redis !== undefined) {
    if (values.maxKeys === undefined) return [];
    return [
      usageMistake('--max-keys means nothing with --redis, which keeps the keys: remove one of them (SLUICE_OPTION)'),
    ];
  }
  return OF_REDIS.filter((name) => values[name] !== undefined).map((name) =>
    usageMistake(`${FLAGS[name].flag} means nothing without --redis: set --redis too, or remove it (SLUICE_OPTION)`),
  );
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

function unknownFlag(flag: string): StartMistake {
  const known = Object.values(FLAGS).map(({ flag }) => flag);
  return usageMistake(`${flag} is not a flag: the flags are ${known.join(', ')} (SLUICE_OPTION)`);
}
