import { publish } from '../../values/events.js';

/** Tells how many exhausted keys a full store has forgotten for others, if it has. */
export function publishEvicted(keys: number): void {
  if (keys > 0) publish('sluice:evicted', { keys });
}
