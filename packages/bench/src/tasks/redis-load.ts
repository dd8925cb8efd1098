import { Redis } from 'ioredis';
import { type Load, loadOf } from '../concurrent-callers.js';
import { redisContender } from '../contenders/redis/index.js';
import { withCosts } from '../costs.js';
import { freshKeys } from '../fresh-key.js';
import { PROOF_LIMIT, proveThatItLimits } from '../proof.js';

interface RedisLoadOptions {
  readonly contender: string;
  readonly port: number;
  /** Default: an hour, within which no window turns. */
  readonly windowMs?: number;
}

export interface RedisRound {
  readonly callers: number;
  readonly ms: number;
  /** Whether each is admitted, of many keys one after another, or refused, of one key that is exhausted since the proof. */
  readonly outcome: 'allowed' | 'refused';
  /** Whether decisions have several costs. Default: each costs 1. */
  readonly hasCosts?: boolean;
}

const HOUR_MS = 3_600_000;
const UNREACHED = 100_000;
const KEYS = freshKeys(0, 10_000);

export async function start({ contender: name, port, windowMs = HOUR_MS }: RedisLoadOptions) {
  const client = new Redis(port, '127.0.0.1');
  const contender = await redisContender(name);
  const refusing = await contender({ limit: PROOF_LIMIT, windowMs: HOUR_MS }, client);
  await proveThatItLimits(name, refusing);
  const admitting = await contender({ limit: UNREACHED, windowMs }, client);

  const run = ({ callers, ms, outcome, hasCosts = false }: RedisRound): Promise<Load> => {
    if (outcome === 'refused')
      return loadOf((answer) => refusing.decide('proof', answer), { isAllowed: false, callers, ms });
    let asked = 0;
    const nextKey = (): string => {
      asked += 1;
      return KEYS[asked % KEYS.length] as string;
    };
    const decider = hasCosts ? withCosts(admitting) : admitting;
    return loadOf((answer) => decider.decide(nextKey(), answer), { isAllowed: true, callers, ms });
  };
  return { run, end: () => client.disconnect() };
}
