import { usageError } from '../exit-code.js';
import { readInput } from '../input.js';
import type { Io } from '../io.js';

/** A key as the administration takes it: a value, or values by the names of the keys. */
export type GivenKey = string | Readonly<Record<string, unknown>>;

/**
 * Returns the keys of a command line. `-` stands for the lines of the standard input, so that a secret is no argument; a line that is
 * a JSON object names the parts of a key.
 *
 * @param parts - the parts of one key, as `name=value`
 * @returns undefined in the place of the only key of a policy that has one key for all requests
 * @throws CommandError 2
 */
export async function givenKeys(
  keys: readonly string[],
  parts: readonly string[],
  io: Io,
): Promise<readonly (GivenKey | undefined)[]> {
  if (parts.length > 0) {
    if (keys.length > 0) throw usageError('give either keys, or the parts of one key with --part');
    return [Object.fromEntries(parts.map(partOf))];
  }
  if (keys.length === 0) return [undefined];
  const given: GivenKey[] = [];
  for (const key of keys) given.push(...(key === '-' ? await lines(io) : [key]));
  return given;
}

function partOf(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw usageError('write a part of a key as name=value: --part customer=acme');
  return [text.slice(0, equals), text.slice(equals + 1)];
}

async function lines(io: Io): Promise<readonly GivenKey[]> {
  const text = await readInput('-', io);
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map(keyOfLine);
}

function keyOfLine(line: string, i: number): GivenKey {
  if (!line.startsWith('{')) return line;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    throw usageError(`line ${i + 1} of the standard input begins with { and is no JSON`);
  }
}
