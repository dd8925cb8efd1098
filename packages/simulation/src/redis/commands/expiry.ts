import { integerIn } from '../command.js';
import { failWith } from '../reply.js';

/** The latest time that a server can count. */
const LATEST = 2 ** 63;

const UNIT_MS: Readonly<Record<string, number>> = { EX: 1000, PX: 1, EXAT: 1000, PXAT: 1 };

/**
 * The time at which a key expires, of an option like `PX` and its value.
 *
 * @throws RedisReplyError
 */
export function expiryOf(option: string, text: string, nowMs: number, command: string): number {
  const value = integerIn(text);
  const ms = value * (UNIT_MS[option] as number);
  const isPoint = option.endsWith('AT');
  if (value <= 0 || ms >= LATEST || (!isPoint && ms >= LATEST - nowMs))
    return failWith(`ERR invalid expire time in '${command}' command`);
  return isPoint ? ms : nowMs + ms;
}
