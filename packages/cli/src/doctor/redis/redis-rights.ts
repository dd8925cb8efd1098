import type { Diagnosis } from '../diagnosis.js';
import type { RedisConnection } from './redis-connection.js';

/** How long the key lives that the commands are tried on, if it cannot be removed. */
const KEPT_MS = '10000';

/** What decisions call. */
const OF_DECISIONS = ['evalsha', 'eval', 'time', 'mget', 'get', 'set', 'setrange', 'del', 'unlink'];

/** What is tried. It is one name, and then the arguments, in which `KEY` stands for a key of their own. */
const TRIES: readonly (readonly [command: string, ...args: string[]])[] = [
  ['evalsha', '0'.repeat(40), '0'],
  ['eval', 'return 1', '0'],
  ['time'],
  ['setrange', 'KEY', '0', ''],
  ['get', 'KEY'],
  ['mget', 'KEY'],
  // These find a string, so that they change nothing.
  ['pttl', 'KEY'],
  ['pexpire', 'KEY', KEPT_MS],
  ['zadd', 'KEY', 'XX', '1', 'member'],
  ['zrem', 'KEY', 'member'],
  ['zcard', 'KEY'],
  ['zscore', 'KEY', 'member'],
  ['zrange', 'KEY', '0', '0'],
  ['zrangebyscore', 'KEY', '0', '0'],
  ['hget', 'KEY', 'field'],
  ['hdel', 'KEY', 'field'],
  ['del', 'KEY'],
  ['unlink', 'KEY'],
];

/** Whose permissions are tried. */
interface Rights {
  readonly diagnosis: Diagnosis;
  readonly redis: RedisConnection;
  readonly user: string;
  /** What the keys of the application begin with. */
  readonly prefix: string;
  /** The key that the commands are tried on. */
  readonly key: string;
}

/**
 * Tries each command that a store calls. Redis looks at the permissions before anything else, so that a try that cannot work says as much.
 * Returns whether decisions have what they need.
 */
export async function tryRights({ diagnosis, redis, user, prefix, key }: Rights): Promise<boolean> {
  const answers = new Map([['set', await redis.refusal('set', key, '', 'PX', KEPT_MS)]]);
  // Without the string, this one would write something that stays.
  if (answers.get('set') === undefined) answers.set('hset', await redis.refusal('hset', key, 'field', 'value'));
  for (const [command, ...args] of TRIES) {
    answers.set(command, await redis.refusal(command, ...args.map((arg) => (arg === 'KEY' ? key : arg))));
  }
  const commands = [...answers].flatMap(([command, refusal]) => (isAboutCommand(refusal) ? [command] : []));
  const isKeyRefused = [...answers.values()].some(isAboutKey);
  const unknown = [...answers].flatMap(([command, refusal]) => (isUnknown(refusal) ? [command] : []));
  const grant = (missing: readonly string[]): string =>
    `Run ACL SETUSER ${user} ${[...(isKeyRefused ? [`~${prefix}*`] : []), ...missing.map((name) => `+${name}`)].join(' ')}`;
  const needed = OF_DECISIONS.filter((command) => commands.includes(command));
  if (unknown.length > 0)
    diagnosis.fail(
      'permissions',
      `Redis does not know ${unknown.join(', ')}: it was renamed or removed.`,
      'Take its rename-command out of redis.conf.',
    );
  else if (isKeyRefused)
    diagnosis.fail(
      'permissions',
      `The user ${user} may not use keys that begin with ${prefix}.`,
      `${grant(commands)}, or name the prefix of your store with --prefix.`,
    );
  else if (needed.length > 0)
    diagnosis.fail('permissions', `The user ${user} may not call ${needed.join(', ')}.`, `${grant(commands)}.`);
  else if (commands.length > 0)
    diagnosis.warn(
      'permissions',
      `The user ${user} may call what decisions need. For blocks it lacks ${commands.join(', ')}.`,
      `If you use block or blocked: ${grant(commands)}.`,
    );
  else diagnosis.ok('permissions', `The user ${user} may call all that decisions and blocks need.`);
  return needed.length === 0 && !isKeyRefused && unknown.length === 0;
}

const isAboutKey = (refusal: string | undefined): boolean => /^NOPERM.*\baccess\b/.test(refusal ?? '');
const isAboutCommand = (refusal: string | undefined): boolean => /^NOPERM/.test(refusal ?? '') && !isAboutKey(refusal);
const isUnknown = (refusal: string | undefined): boolean => /unknown command/i.test(refusal ?? '');
