import { addressMatcher } from '@sluice/core/http';
import { checkedByCore } from './core-check.js';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';

/**
 * Returns the addresses from which a header counts. A header that says what a request costs, or which tier it has, can be written by
 * anybody, so a file without such addresses is refused.
 */
export function readTrust(
  trustedFrom: readonly (string | undefined)[] | undefined,
  header: string,
  path: Path,
  mistakes: MistakeList,
): readonly string[] {
  if (trustedFrom === undefined) {
    const rule = `is missing: anybody can send the header ${header}, so list the addresses of the proxy that sets it, for example trustedFrom: [10.0.0.0/8]`;
    mistakes.add([...path, 'trustedFrom'], rule, { at: 'missing', code: 'SLUICE_UNTRUSTED_HEADER' });
    return [];
  }
  return readAddresses(trustedFrom, [...path, 'trustedFrom'], mistakes);
}

/** Reads a list of addresses and CIDR ranges. */
export function readAddresses(
  entries: readonly (string | undefined)[],
  path: Path,
  mistakes: MistakeList,
): readonly string[] {
  for (const [i, entry] of entries.entries()) {
    if (entry === undefined) continue;
    checkedByCore(
      () => addressMatcher([entry], 'entry'),
      [...path, i],
      mistakes,
      () => [],
    );
  }
  return entries.filter((entry) => entry !== undefined);
}
