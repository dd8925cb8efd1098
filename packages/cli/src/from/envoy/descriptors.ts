import type { YamlValue } from '../yaml-value.js';

/** One entry of a descriptor. Without a value, each value of the request is counted by itself. */
export interface Entry {
  readonly key: string;
  readonly value: string | undefined;
}

/** A rule of envoyproxy/ratelimit: a descriptor with a limit, or one that is exempt because it has none. */
export interface Rule {
  readonly entries: readonly Entry[];
  /** It does not exist in an exempt descriptor. */
  readonly limit: YamlValue;
  /** The descriptor itself, with its flags. */
  readonly descriptor: YamlValue;
}

/** Deeper trees than any request has. */
const DEEPEST = 20;

/**
 * Returns every descriptor that says what is limited, the outer ones first. The service matches the most specific one, so that one
 * without a limit, and without others in it, exempts its value from the limit of all values.
 */
export function rulesOf(descriptors: readonly YamlValue[], above: readonly Entry[] = []): Rule[] {
  if (above.length > DEEPEST) return [];
  return descriptors.flatMap((descriptor) => {
    const entries = [...above, { key: descriptor.get('key').text ?? '', value: descriptor.get('value').text }];
    const limit = descriptor.get('rate_limit');
    const inner = descriptor.get('descriptors').items;
    const own = limit.exists || inner.length === 0 ? [{ entries, limit, descriptor }] : [];
    return [...own, ...rulesOf(inner, entries)];
  });
}

/** Writes entries as people write them: `generic_key=slow, remote_address`. */
export function textOf(entries: readonly Entry[]): string {
  return entries.map(({ key, value }) => (value === undefined ? key : `${key}=${value}`)).join(', ');
}
