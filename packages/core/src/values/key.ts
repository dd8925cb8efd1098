import { fromBase64url, toBase64url } from './base64url.js';
import { SluiceError, show } from './error.js';
import { NODE } from './node.js';
import { sha256 } from './sha-256.js';

/**
 * Identifies the client to count. 1 and `'1'` are different keys. A list is a compound key: `['a', 'bc']` and `['ab',
 * 'c']` are different, too.
 */
export type Key = string | number | readonly Key[];

/**
 * Makes one key for all requests. Use it for a limit of the whole service.
 *
 * @example rateLimit({ limit: 1000, window: '1s', keyGenerator: everyone() })
 */
export const everyone = (): (() => Key) => () => EVERYONE;

const EVERYONE: Key = ['everyone'];

/** The most levels of lists in a key. */
const MOST_LEVELS = 100;

/** A longer encoding is replaced by its hash, so that the memory of a key is bounded. */
const LONGEST_CHARACTERS = 128;

/** The encoding of a list begins with it. */
const LIST = '~l';

/**
 * Encodes a key as text. Different keys have different encodings.
 *
 * Ordinary text is its own encoding. Everything else begins with `~` and a letter: `n` for a number, `l` for a list
 * (the length precedes each part), `s` for text that begins with `~`, `u` for text that is not well-formed UTF-16 (as
 * code units), and `h` for the SHA-256 of an encoding that was too long.
 *
 * @throws SluiceError `SLUICE_KEY` if the value is no key: undefined, NaN, an object, or lists of more than 100 levels
 */
export function encodeKey(key: Key): string {
  return bounded(typeof key === 'string' ? encodeText(key) : encodePart(key, 1));
}

/** Returns the encoding of the list of two keys, of which the first one is already encoded. */
export function encodePair(first: string, second: Key): string {
  return bounded(`${LIST}${lengthPrefixed(first)}${lengthPrefixed(encodeKey(second))}`);
}

/**
 * Returns what comes before a text in the encoding of `[kind, text]`, by the length of the text. The texts must be short and their own
 * encoding, as addresses are.
 *
 * @param longest - the length of the longest text
 */
export function pairStarts(kind: string, longest: number): readonly string[] {
  const kindPart = `${LIST}${lengthPrefixed(encodeKey(kind))}`;
  return Array.from({ length: longest + 1 }, (_, length) => `${kindPart}${length}:`);
}

/** Returns the key of an encoding; undefined if it was too long, so that only its hash is left. */
export function decodeKey(encoded: string): Key | undefined {
  if (!encoded.startsWith('~')) return encoded;
  const rest = encoded.slice(2);
  switch (encoded[1]) {
    case 'n':
      return Number(rest);
    case 's':
      return rest;
    case 'u':
      return fromCodeUnits(rest);
    case 'l':
      return decodeList(rest);
    default:
      return undefined;
  }
}

function bounded(encoded: string): string {
  return encoded.length > LONGEST_CHARACTERS ? `~h${hash(encoded)}` : encoded;
}

function encodePart(key: Key, level: number): string {
  if (typeof key === 'string') return encodeText(key);
  if (typeof key === 'number' && Number.isFinite(key)) return `~n${key}`;
  if (Array.isArray(key)) return encodeList(key, level);
  throw new SluiceError('SLUICE_KEY', `a key must be text, a finite number or a list of keys, got ${show(key)}`, {
    received: key,
  });
}

/** Uses an index, because `map` skips holes. A list with a hole would then get the encoding of another key. */
function encodeList(parts: readonly Key[], level: number): string {
  if (level > MOST_LEVELS) {
    throw new SluiceError('SLUICE_KEY', `a key must have at most ${MOST_LEVELS} levels of lists, got more`);
  }
  let encoded = LIST;
  for (let i = 0; i < parts.length; i += 1) encoded += lengthPrefixed(bounded(encodePart(parts[i] as Key, level + 1)));
  return encoded;
}

function decodeList(encoded: string): readonly Key[] | undefined {
  const parts: Key[] = [];
  for (let start = 0; start < encoded.length; ) {
    const colon = encoded.indexOf(':', start);
    const end = colon + 1 + Number(encoded.slice(start, colon));
    const part = decodeKey(encoded.slice(colon + 1, end));
    if (part === undefined) return undefined;
    parts.push(part);
    start = end;
  }
  return parts;
}

function encodeText(text: string): string {
  // Of a long text only the hash is left. JSON escapes its lone surrogates at once, in place of byte by byte.
  if (!text.isWellFormed()) return `~u${text.length > LONGEST_CHARACTERS ? JSON.stringify(text) : codeUnits(text)}`;
  return text.startsWith('~') ? `~s${text}` : text;
}

function lengthPrefixed(text: string): string {
  return `${text.length}:${text}`;
}

/** Returns the code units of a text as bytes, the lower one of each first. */
function codeUnits(text: string): string {
  const bytes = new Uint8Array(2 * text.length);
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    bytes[2 * i] = unit & 255;
    bytes[2 * i + 1] = unit >> 8;
  }
  return toBase64url(bytes);
}

function fromCodeUnits(encoded: string): string {
  const bytes = fromBase64url(encoded);
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    text += String.fromCharCode((bytes[at] as number) | ((bytes[at + 1] as number) << 8));
  }
  return text;
}

/**
 * Returns the SHA-256 of a text as 43 characters. It also keeps secret values, such as API keys, out of stores, logs
 * and events.
 */
export function hash(text: string): string {
  digest ??= digestOfRuntime();
  return digest(text);
}

/** Found at the first hash: an import that hashes nothing loads no module for it. */
let digest: ((text: string) => string) | undefined;

function digestOfRuntime(): (text: string) => string {
  const crypto = NODE?.getBuiltinModule('node:crypto');
  return typeof crypto?.hash === 'function'
    ? (text) => crypto.hash('sha256', text, 'base64url')
    : (text) => toBase64url(sha256(text));
}
