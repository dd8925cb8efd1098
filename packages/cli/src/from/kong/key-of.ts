import { ADDRESS, EVERYONE, keyFromCode, keyFromHeader, type NamedKey } from '../named-key.js';
import { isHeader } from '../names.js';
import type { YamlValue } from '../yaml-value.js';

/** Kong's authentication finds the consumer, so a program has to give it. */
export const CONSUMER = keyFromCode('consumer', 'the name of the consumer, as authentication found it');

/** Returns what a plugin counts by. */
export function keyOf(config: YamlValue, title: string): NamedKey {
  const by = config.get('limit_by').text ?? config.get('identifier').text ?? 'consumer';
  if (by === 'ip') return ADDRESS;
  if (by === 'service' || by === 'path') return EVERYONE;
  const header = config.get('header_name').text?.toLowerCase();
  if (by === 'header' && header !== undefined && isHeader(header)) return keyFromHeader(header);
  if (by === 'consumer') return CONSUMER;
  return keyFromCode(by, `limit_by: ${by} of ${title}`);
}
