import type { ChildOptions } from './child-process.js';
import type { Variant } from './contenders/http/serve.js';
import type { Scale } from './scale.js';
import { SingleRequests } from './single-requests.js';
import { startWorker } from './worker.js';

/** Asks one contender, one call after another. */
export interface Caller {
  /** Returns the microseconds of each call. */
  calls(count: number): Promise<readonly number[]>;
  /** Shows that the contender limits, where it has not shown that elsewhere. */
  prove(): Promise<unknown>;
  end(): Promise<unknown>;
}

/**
 * Room for all that a process allocates in its first seconds. What the whole program has loaded decides at which call the first collection comes:
 * it would be among the first hundred calls of some contenders, and just before those of others.
 */
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

/** Of a new process that decides by itself, or by the Redis at a port. */
export async function deciding(
  scale: Scale,
  contender: string,
  port?: number,
  options: ChildOptions = {},
): Promise<Caller> {
  const worker = await startWorker(scale, 'calls', { contender, port }, { flags: FLAGS, ...options });
  return {
    calls: (count) => worker.ask('calls', count),
    prove: () => worker.ask('prove'),
    end: () => worker.end(),
  };
}

/** Of a new server, which is asked over HTTP, and tells clients apart by address behind a trusted proxy. */
export async function serving(
  scale: Scale,
  host: string,
  variant: Variant,
  options: ChildOptions = {},
): Promise<Caller> {
  const quota = { limit: 1_000_000, windowMs: 3_600_000 };
  const question = { host, variant, identity: 'address', quota };
  const worker = await startWorker(scale, 'http-server', question, { flags: FLAGS, ...options });
  const requests = await SingleRequests.open(await worker.ask('port'));
  return {
    async calls(count) {
      const tookUs: number[] = [];
      for (let i = 0; i < count; i += 1) tookUs.push(await requests.send());
      return tookUs;
    },
    // A test shows that these servers limit.
    prove: async () => undefined,
    async end() {
      requests.close();
      await worker.end();
    },
  };
}
