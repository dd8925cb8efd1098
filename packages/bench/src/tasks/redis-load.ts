import { Redis } from 'ioredis';
import { blankAnswer } from '../answer.js';
import { redisContender } from '../contenders/redis/index.js';
import { processorMs } from '../processor-time.js';
import { PROOF_LIMIT, proveThatItLimits } from '../proof.js';

export interface RedisLoadOptions {
  readonly contender: string;
  readonly port: number;
}

export interface RedisRound {
  readonly callers: number;
  readonly ms: number;
}

export interface RedisLoad {
  readonly decisions: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
}

export async function start({ contender: name, port }: RedisLoadOptions) {
  const client = new Redis(port, '127.0.0.1');
  const contender = await redisContender(name);
  const decider = await contender({ limit: PROOF_LIMIT, windowMs: 3_600_000 }, client);
  await proveThatItLimits(name, decider);

  /** So many callers, each of whom asks again when it has its answer, about the key that is exhausted since the proof. */
  const run = async ({ callers, ms }: RedisRound): Promise<RedisLoad> => {
    const tookMs: number[] = [];
    const startProcessorMs = processorMs();
    const startMs = performance.now();
    const call = async (): Promise<void> => {
      const answer = blankAnswer();
      for (let nowMs = performance.now(); nowMs - startMs < ms; ) {
        await decider.decide('proof', answer);
        if (answer.allowed) throw new Error(`${name} does not limit`);
        const endMs = performance.now();
        tookMs.push(endMs - nowMs);
        nowMs = endMs;
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const seconds = (performance.now() - startMs) / 1_000;
    const usedMs = processorMs() - startProcessorMs;
    const sorted = tookMs.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] as number;
    const decisions = sorted.length;
    return {
      decisions,
      perSecond: decisions / seconds,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      processorUs: (1_000 * usedMs) / decisions,
    };
  };
  return { run, end: () => client.disconnect() };
}
