import { isIP } from 'node:net';
import { addressMatcher } from '@sluice/core/http';
import { checkOneOf, optionError } from '@sluice/core/values';

/**
 * Reads the text of a flag or of a variable.
 *
 * @param name - what messages call it: `--port`, or `SLUICE_PORT`
 * @throws SluiceError `SLUICE_OPTION`
 */
export type ReadValue<T> = (text: string, name: string) => T;

const LARGEST_PORT = 65_535;

export const readText: ReadValue<string> = (text) => text;

export const readPort: ReadValue<number> = (text, name) => {
  if (/^\d{1,5}$/.test(text) && Number(text) <= LARGEST_PORT) return Number(text);
  throw optionError(name, `must be a whole number from 0 to ${LARGEST_PORT}`, text);
};

/** An address of this machine, or a name of it. */
export const readHost: ReadValue<string> = (text, name) => {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(address)) return address;
  throw optionError(name, 'must be an address like 127.0.0.1 or ::1, or the name of a host', text);
};

/** Names of hosts, with commas or spaces between them. */
export const readHosts: ReadValue<readonly string[]> = (text, name) => {
  const hosts = wordsOf(text).map((host) => readHost(host, name));
  if (hosts.length === 0) throw optionError(name, 'must be names of hosts', text);
  return hosts;
};

/** Addresses and ranges, with commas or spaces between them. */
export const readRanges: ReadValue<readonly string[]> = (text, name) => {
  const ranges = wordsOf(text);
  if (ranges.length === 0) throw optionError(name, "must be addresses and ranges like '10.0.0.0/8'", text);
  addressMatcher(ranges, name);
  return ranges;
};

/** The name of a field of HTTP, in lower case: RFC 9110, section 5.1. */
export const readFieldName: ReadValue<string> = (text, name) => {
  if (/^[!#$%&'*+.^_`|~\w-]+$/.test(text)) return text.toLowerCase();
  throw optionError(name, 'must be the name of a header field, like X-Real-IP', text);
};

export const readPrefix: ReadValue<string> = (text, name) => {
  if (/^[^{}\s]{1,64}$/.test(text)) return text;
  throw optionError(name, 'must be 1 to 64 characters without spaces and braces', text);
};

/** Returns a reader of a whole number from 1 on. */
function countUpTo(most: number): ReadValue<number> {
  return (text, name) => {
    if (/^[1-9]\d*$/.test(text) && Number(text) <= most) return Number(text);
    throw optionError(name, `must be a whole number from 1 to ${most}`, text);
  };
}

export const readCount = countUpTo(999_999);

/** As many as a MemoryStore can hold. */
export const readKeys = countUpTo(16_000_000);

export const readSwitch: ReadValue<boolean> = (text, name) =>
  checkOneOf(text, name, ['true', 'false'] as const) === 'true';

/** Returns a reader of one of these words. */
export function oneOf<const T extends string>(choices: readonly T[]): ReadValue<T> {
  return (text, name) => {
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    throw optionError(name, `must be one of ${choices.join(', ')}`, text);
  };
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
