import type { YamlValue } from '../yaml-value.js';

/** One entry of a descriptor. Without a value, each value of the request is counted by itself. */
export interface Entry {
  readonly key: string;
  readonly value: string | undefined;
}

/** A rule of envoyproxy/ratelimit: a descriptor with a limit. */
export interface Rule {
  readonly entries: readonly Entry[];
  readonly limit: YamlValue;
  /** The descriptor itself, with its flags. */
  readonly descriptor: YamlValue;
}

/** Deeper trees than any request has. */
const DEEPEST = 20;

/** Returns every descriptor with a limit, the outer ones first. */
export function rulesOf(descriptors: readonly YamlValue[], above: readonly Entry[] = []): Rule[] {
  if (above.length > DEEPEST) return [];
  return descriptors.flatMap((descriptor) => {
    const entries = [...above, { key: descriptor.get('key').text ?? '', value: descriptor.get('value').text }];
    const limit = descriptor.get('rate_limit');
    const own = limit.exists ? [{ entries, limit, descriptor }] : [];
    return [...own, ...rulesOf(descriptor.get('descriptors').items, entries)];
  });
}

/** Writes entries as people write them: `generic_key=slow, remote_address`. */
export function textOf(entries: readonly Entry[]): string {
  return entries.map(({ key, value }) => (value === undefined ? key : `${key}=${value}`)).join(', ');
}
