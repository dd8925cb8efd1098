import { setImmediate } from 'node:timers/promises';
import { ADMISSIONS, StandInRequest } from '../contenders/admission.js';
import { OUTCOMES, type Outcome } from '../contenders/http/outcomes.js';
import { processorMs } from '../processor-time.js';
import type { Scale } from '../scale.js';
import { workFor } from '../work-for.js';

interface AdmissionOptions {
  readonly contender: string;
  readonly outcome: Outcome;
  readonly scale: Scale;
}

/** What one request costs. */
interface AdmissionCost {
  readonly bytes: number;
  readonly ns: number;
}

const HOUR_MS = 3_600_000;

export async function start({ contender, outcome, scale }: AdmissionOptions) {
  const { limit, status } = OUTCOMES[outcome];
  const admit = await ADMISSIONS.get(contender)?.({ limit, windowMs: HOUR_MS });
  if (!admit) throw new Error(`There is no contender ${contender}`);
  const clients = Array.from({ length: scale.allocations }, (_, i) => `client-${i}`);
  let passed = 0;
  const next = (): void => {
    passed += 1;
  };
  const all = async (requests: readonly StandInRequest[]): Promise<void> => {
    for (const request of requests) admit(request, next);
    // Some refusals are awaited.
    await setImmediate();
  };
  const requests = () => clients.map((client) => new StandInRequest(client));
  const answered = async (): Promise<void> => {
    const asked = requests();
    passed = 0;
    await all(asked);
    const isAsExpected = asked.every(({ response }) => response.headersSent === (status === 429));
    if (!isAsExpected || passed !== (status === 200 ? asked.length : 0))
      throw new Error(`Of ${asked.length} requests, ${passed} passed`);
  };
  // Each client has been there once.
  await all(requests());
  await answered();
  return {
    warmUp: (ms: number) => workFor(ms, () => all(requests())),

    async round(): Promise<AdmissionCost> {
      const timed = requests();
      const beforeMs = processorMs();
      await all(timed);
      const ms = processorMs() - beforeMs;
      // Last, because other threads go on collecting after the call.
      const weighed = requests();
      globalThis.gc?.();
      const beforeBytes = process.memoryUsage().heapUsed;
      await all(weighed);
      const bytes = process.memoryUsage().heapUsed - beforeBytes;
      return { bytes: Math.max(0, bytes / weighed.length), ns: (1e6 * ms) / timed.length };
    },
  };
}
