import { readFile } from 'node:fs/promises';
import { FLAGS, type FlagName, variableOf } from './flags.js';
import { fileMistake, type StartMistake, usageMistake } from './start-mistake.js';

/** Shorter ones can be guessed. `openssl rand -hex 32` makes one of 64 characters. */
const SHORTEST = 16;

/** Where secrets of one kind come from: a file, or a variable. Both have one a line. */
interface SecretSource {
  readonly flagName: Extract<FlagName, `${string}File`>;
  readonly variable: string;
}

/** The secrets of the program, by their options. */
export const SECRET_SOURCES = {
  secrets: { flagName: 'secretFile', variable: 'SLUICE_SECRET' },
  callTokens: { flagName: 'callTokenFile', variable: 'SLUICE_CALL_TOKEN' },
  readTokens: { flagName: 'readTokenFile', variable: 'SLUICE_READ_TOKEN' },
  writeTokens: { flagName: 'writeTokenFile', variable: 'SLUICE_WRITE_TOKEN' },
} as const satisfies Readonly<Record<string, SecretSource>>;

/** The secrets of one kind. */
interface ReadSecrets {
  readonly secrets: readonly string[];
  readonly mistakes: readonly StartMistake[];
}

/**
 * Reads the secrets of one kind. Messages name their lines, and never repeat them.
 *
 * @param path - of the file, if there is one
 */
export async function readSecrets(
  { flagName, variable }: SecretSource,
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReadSecrets> {
  const { flag } = FLAGS[flagName];
  const value = env[variable] || undefined;
  if (path === undefined) return value === undefined ? NONE : secretsIn(value, variable, usageMistake);
  if (value !== undefined) {
    const message = `${flag} and ${variable} must not both be set: put all of them into the file (SLUICE_OPTION)`;
    return { secrets: [], mistakes: [usageMistake(message)] };
  }
  try {
    return secretsIn(await readFile(path, 'utf8'), path, fileMistake);
  } catch (error) {
    const name = env[variableOf(flag)] === path ? variableOf(flag) : flag;
    return {
      secrets: [],
      mistakes: [fileMistake(`${name}: ${path} cannot be read: ${codeOf(error)} (SLUICE_SOURCE)`)],
    };
  }
}

const NONE: ReadSecrets = { secrets: [], mistakes: [] };

function secretsIn(text: string, origin: string, mistakeOf: (message: string) => StartMistake): ReadSecrets {
  const lines = text.split('\n').map((line) => line.trim());
  const mistakes = lines.flatMap((line, i) => {
    const rule = line === '' ? undefined : brokenRule(line);
    return rule === undefined ? [] : [mistakeOf(`line ${i + 1} of ${origin} ${rule} (SLUICE_OPTION)`)];
  });
  const secrets = lines.filter((line) => line !== '');
  if (secrets.length === 0) mistakes.push(mistakeOf(`${origin} is empty: ${CURE} (SLUICE_OPTION)`));
  return { secrets, mistakes };
}

const CURE = 'write one secret a line, made by openssl rand -hex 32';

/** A token goes into a header field, so it has printable ASCII only: RFC 6750, section 2.1. */
function brokenRule(line: string): string | undefined {
  if (!/^[\x21-\x7e]*$/.test(line)) return `must have printable ASCII characters only, without spaces: ${CURE}`;
  if (line.length < SHORTEST) return `must have at least ${SHORTEST} characters, and has ${line.length}: ${CURE}`;
  return undefined;
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
