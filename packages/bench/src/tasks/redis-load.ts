import { Redis } from 'ioredis';
import { type Answer, blankAnswer } from '../answer.js';
import { redisContender } from '../contenders/redis/index.js';
import { withCosts } from '../costs.js';
import { freshKeys } from '../fresh-key.js';
import { percentilesOf } from '../percentiles.js';
import { processorMs } from '../processor-time.js';
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

export interface RedisLoad {
  readonly decisions: number;
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
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

  const run = ({ callers, ms, outcome, hasCosts = false }: RedisRound): Promise<RedisLoad> => {
    if (outcome === 'refused') return loadOf((answer) => refusing.decide('proof', answer), outcome, callers, ms);
    let asked = 0;
    const nextKey = (): string => {
      asked += 1;
      return KEYS[asked % KEYS.length] as string;
    };
    const decider = hasCosts ? withCosts(admitting) : admitting;
    return loadOf((answer) => decider.decide(nextKey(), answer), outcome, callers, ms);
  };
  return { run, end: () => client.disconnect() };
}

/** So many callers, each of whom asks again when it has its answer. */
async function loadOf(
  ask: (answer: Answer) => unknown,
  outcome: RedisRound['outcome'],
  callers: number,
  ms: number,
): Promise<RedisLoad> {
  const isAllowed = outcome === 'allowed';
  const tookMs: number[] = [];
  const startProcessorMs = processorMs();
  const startMs = performance.now();
  const call = async (): Promise<void> => {
    const answer = blankAnswer();
    let nowMs = performance.now();
    do {
      await ask(answer);
      if (answer.allowed !== isAllowed) throw new Error(`It was to be ${outcome}, and was not`);
      const endMs = performance.now();
      tookMs.push(endMs - nowMs);
      nowMs = endMs;
    } while (nowMs - startMs < ms);
  };
  await Promise.all(Array.from({ length: callers }, call));
  const seconds = (performance.now() - startMs) / 1_000;
  const usedMs = processorMs() - startProcessorMs;
  const { p50, p99 } = percentilesOf(tookMs);
  const decisions = tookMs.length;
  return {
    decisions,
    perSecond: decisions / seconds,
    p50Us: 1_000 * p50,
    p99Us: 1_000 * p99,
    processorUs: (1_000 * usedMs) / decisions,
  };
}
