import { subscribe } from 'node:diagnostics_channel';
import { type HandlerOptions, handlerOf, type Pace } from '../overload/handlers.js';
import type { Front } from '../overload/protection.js';
import { HOSTS, type HostName } from '../overload/servers/index.js';
import { processorMs } from '../processor-time.js';

interface OverloadServerOptions extends Omit<HandlerOptions, 'pace'> {
  readonly host: HostName;
  readonly front: Front;
}

/** What a server has used. */
export interface Usage {
  readonly processorMs: number;
  readonly idleMs: number;
  /** That it has read. */
  readonly requests: number;
  readonly work: Pick<Pace, 'steps' | 'ms'>;
}

/** A server that is measured under load. It does no work before it is given a pace. */
export async function start({ host, front, ...work }: OverloadServerOptions) {
  const pace: Pace = { stepsPerMs: 0, steps: 0, ms: 0 };
  const [serve, handler] = await Promise.all([HOSTS[host].serve(), handlerOf({ ...work, pace })]);
  const port = await serve(front, handler);
  let requests = 0;
  subscribe('http.server.request.start', () => {
    requests += 1;
  });
  return {
    port: (): number => port,
    pid: (): number => process.pid,
    usage: (): Usage => ({
      processorMs: processorMs(),
      idleMs: performance.nodeTiming.idleTime,
      requests,
      work: { steps: pace.steps, ms: pace.ms },
    }),
    setPace: (stepsPerMs: number): void => {
      pace.stepsPerMs = stepsPerMs;
    },
  };
}
