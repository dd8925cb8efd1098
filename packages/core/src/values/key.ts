import { createHash } from 'node:crypto';
import { SluiceError, show } from './error.js';

/** Who is counted. 1 and `'1'` differ; a list is a compound key, and `['a', 'bc']` and `['ab', 'c']` never meet. */
export type Key = string | number | readonly Key[];

/**
 * Makes one key for everybody: a limit of the whole service.
 *
 * @example rateLimit({ limit: 1000, window: '1s', keyGenerator: everyone() })
 */
export const everyone = (): (() => Key) => () => EVERYONE;

const EVERYONE: Key = ['everyone'];

/** Longer encodings are replaced by their hash, so that no key costs a store more than a known amount. */
const LONGEST_CHARACTERS = 128;

/**
 * A key as text: distinct keys never share one.
 *
 * Ordinary text stands for itself. Everything else begins with `~` and a letter that says what follows: `n` a number,
 * `l` a list (each part with its length before it), `s` text that begins with `~`, `u` text that is not well-formed
 * UTF-16, by code units, `h` the SHA-256 of an encoding that was too long.
 *
 * @throws SluiceError `SLUICE_KEY` for what is no key: undefined, NaN, an object.
 */
export function encodeKey(key: Key): string {
  const encoded = typeof key === 'string' ? encodeText(key) : encodePart(key);
  return encoded.length > LONGEST_CHARACTERS ? `~h${hash(encoded)}` : encoded;
}

function encodePart(key: Key): string {
  if (typeof key === 'string') return encodeText(key);
  if (typeof key === 'number' && Number.isFinite(key)) return `~n${key}`;
  if (Array.isArray(key)) return encodeList(key);
  throw new SluiceError('SLUICE_KEY', `a key must be text, a finite number or a list of keys, got ${show(key)}`, {
    received: key,
  });
}

/** By index, since `map` would pass over a hole, and a key with one would be another's. */
function encodeList(parts: readonly Key[]): string {
  let encoded = '~l';
  for (let i = 0; i < parts.length; i += 1) encoded += lengthPrefixed(encodeKey(parts[i] as Key));
  return encoded;
}

function encodeText(text: string): string {
  if (!text.isWellFormed()) return `~u${codeUnits(text)}`;
  return text.startsWith('~') ? `~s${text}` : text;
}

function lengthPrefixed(text: string): string {
  return `${text.length}:${text}`;
}

function codeUnits(text: string): string {
  return Buffer.from(text, 'utf16le').toString('base64url');
}

/** SHA-256 as 43 characters: also how secret values (API keys) are kept out of stores, logs and events. */
export function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
