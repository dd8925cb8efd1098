import { Redis } from 'ioredis';
import { blankAnswer } from '../answer.js';
import type { Contender } from '../contender.js';
import { SHARED_KEY_CONTENDERS } from '../contenders/redis/shared-key.js';
import { processorMs } from '../processor-time.js';
import { PROOF_LIMIT, proveThatItLimits } from '../proof.js';

interface SharedKeyOptions {
  readonly contender: string;
  readonly port: number;
  /** One of those who share a key is enough to show that it is limited. */
  readonly isToProve: boolean;
}

interface SharedKeyRound {
  /** Rounds with the same name share their key. */
  readonly name: string;
  readonly callers: number;
  readonly ms: number;
  readonly limit: number;
}

export interface SharedKeyLoad {
  readonly admitted: number;
  readonly perSecond: number;
  /** Of this process, for each decision. */
  readonly processorUs: number;
}

const WINDOW_MS = 3_600_000;
/** So many in a row before the clock is looked at. */
const IN_A_ROW = 10;

export async function start({ contender: name, port, isToProve }: SharedKeyOptions) {
  const client = new Redis(port, '127.0.0.1');
  const contender = SHARED_KEY_CONTENDERS.get(name) as Contender<[Redis]>;
  if (isToProve) {
    const proven = await contender({ limit: PROOF_LIMIT, windowMs: WINDOW_MS }, client);
    await proveThatItLimits(name, proven);
    await proven.close();
  }

  /** So many callers, each of whom asks again when it has its answer, until the time is over or nothing is left. */
  const run = async ({ name: round, callers, ms, limit }: SharedKeyRound): Promise<SharedKeyLoad> => {
    const decider = await contender({ limit, windowMs: WINDOW_MS }, client);
    const startProcessorMs = processorMs();
    const startMs = performance.now();
    let admitted = 0;
    let decisions = 0;
    const call = async (): Promise<void> => {
      const answer = blankAnswer();
      do {
        for (let i = 0; i < IN_A_ROW; i += 1) {
          await decider.decide(round, answer);
          decisions += 1;
          if (!answer.allowed) return;
          admitted += 1;
        }
      } while (performance.now() - startMs < ms);
    };
    await Promise.all(Array.from({ length: callers }, call));
    const seconds = (performance.now() - startMs) / 1_000;
    const usedMs = processorMs() - startProcessorMs;
    await decider.close();
    return { admitted, perSecond: decisions / seconds, processorUs: (1_000 * usedMs) / decisions };
  };
  return { run, end: () => client.disconnect() };
}
