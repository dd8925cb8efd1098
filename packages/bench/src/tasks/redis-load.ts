import { Redis } from 'ioredis';
import { blankAnswer } from '../answer.js';
import type { Decider } from '../contender.js';
import { redisContender } from '../contenders/redis/index.js';
import { freshKeys } from '../fresh-key.js';
import { processorMs } from '../processor-time.js';
import { PROOF_LIMIT, proveThatItLimits } from '../proof.js';

export interface RedisLoadOptions {
  readonly contender: string;
  readonly port: number;
}

export interface RedisRound {
  readonly callers: number;
  readonly ms: number;
  /** Whether each is admitted, of many keys one after another, or refused, of one key that is exhausted since the proof. */
  readonly outcome: 'allowed' | 'refused';
}

export interface RedisLoad {
  readonly decisions: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
}

const WINDOW_MS = 3_600_000;
const UNREACHED = 100_000;
const KEYS = freshKeys(0, 10_000);

export async function start({ contender: name, port }: RedisLoadOptions) {
  const client = new Redis(port, '127.0.0.1');
  const contender = await redisContender(name);
  const refusing = await contender({ limit: PROOF_LIMIT, windowMs: WINDOW_MS }, client);
  await proveThatItLimits(name, refusing);
  const admitting = await contender({ limit: UNREACHED, windowMs: WINDOW_MS }, client);

  const run = ({ callers, ms, outcome }: RedisRound): Promise<RedisLoad> => {
    const isAllowed = outcome === 'allowed';
    let asked = 0;
    const nextKey = (): string => {
      if (!isAllowed) return 'proof';
      asked += 1;
      return KEYS[asked % KEYS.length] as string;
    };
    return loadOf(isAllowed ? admitting : refusing, nextKey, isAllowed, callers, ms);
  };
  return { run, end: () => client.disconnect() };
}

/** So many callers, each of whom asks again when it has its answer. */
async function loadOf(
  decider: Decider,
  nextKey: () => string,
  isAllowed: boolean,
  callers: number,
  ms: number,
): Promise<RedisLoad> {
  const tookMs: number[] = [];
  const startProcessorMs = processorMs();
  const startMs = performance.now();
  const call = async (): Promise<void> => {
    const answer = blankAnswer();
    for (let nowMs = performance.now(); nowMs - startMs < ms; ) {
      await decider.decide(nextKey(), answer);
      if (answer.allowed !== isAllowed)
        throw new Error(`It was to be ${isAllowed ? 'allowed' : 'refused'}, and was not`);
      const endMs = performance.now();
      tookMs.push(endMs - nowMs);
      nowMs = endMs;
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startMs) / 1_000;
  const usedMs = processorMs() - startProcessorMs;
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] as number;
  const decisions = sorted.length;
  return {
    decisions,
    perSecond: decisions / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    processorUs: (1_000 * usedMs) / decisions,
  };
}
