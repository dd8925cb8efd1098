import { limitedFetch } from '@sluice/client';
import { SluiceError, type Store } from '@sluice/core';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import { WORKER_KEY } from './customers.js';
import { callOf, QUEUE, type Task } from './tasks.js';

export interface TaskWorkerOptions extends Pick<WorkerOptions, 'connection' | 'concurrency'> {
  /** All workers share what the gateway allows each customer through it. */
  readonly store: Store;
  readonly gatewayUrl: string;
  /** When it aborts, tasks that wait for their turn go back to the queue. */
  readonly signal: AbortSignal;
}

/** How long a task waits in a worker at most. A longer wait is spent in the queue, where it needs no place of the worker. */
const MAX_WAIT = '2s';

/**
 * A worker that asks the questions of customers through the gateway, by their limits. It keeps the limits that the gateway states, together
 * with all other workers: when the gateway refuses one of them, all of them stop for that customer.
 */
export function createTaskWorker({ store, gatewayUrl, signal, ...options }: TaskWorkerOptions): Worker<Task> {
  const api = limitedFetch({
    ...{ name: 'workers', store, maxWait: MAX_WAIT, retry: false },
    key: (request) => request.headers.get('x-customer') ?? 'nobody',
  });
  return new Worker<Task>(
    QUEUE,
    async (job, token) => {
      try {
        const response = await api(`${gatewayUrl}/v1/chat/completions`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${WORKER_KEY}`,
            'x-customer': job.data.customer,
          },
          body: JSON.stringify(callOf(job.data.prompt)),
          signal,
        });
        return await answerIn(response);
      } catch (error) {
        // Shutting down, or the customer's turn comes later: other tasks go first.
        if (signal.aborted) return postpone(job, 0, token);
        if (error instanceof LaterError) return postpone(job, error.afterMs, token);
        if (error instanceof SluiceError && isLater(error)) return postpone(job, retryAfterMs(error), token);
        throw error;
      }
    },
    options,
  );
}

/** A task that has to come again. */
class LaterError extends Error {
  constructor(readonly afterMs: number) {
    super('the gateway has no room for this customer now');
  }
}

const SOON_MS = 1000;

async function answerIn(response: Response): Promise<string> {
  const body = (await response.json()) as {
    readonly choices?: readonly { readonly message: { readonly content: string } }[];
    readonly error?: { readonly message?: string };
  };
  if (response.ok) return body.choices?.[0]?.message.content ?? '';
  const reason = body.error?.message ?? `the gateway answered ${response.status}`;
  // A budget that is used up, or a call that can never fit: to come again helps nobody.
  if (response.headers.get('x-should-retry') === 'false') throw new UnrecoverableError(reason);
  if (response.status === 429) throw new LaterError(Number(response.headers.get('retry-after-ms') ?? SOON_MS));
  if (response.status < 500) throw new UnrecoverableError(reason);
  throw new Error(reason);
}

const isLater = ({ code }: SluiceError): boolean => code === 'SLUICE_REFUSED' || code === 'SLUICE_UNAVAILABLE';

function retryAfterMs(error: SluiceError): number {
  const { retryAfterMs } = error as { retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' ? retryAfterMs : SOON_MS;
}

/** Puts this task aside for so long. The queue goes on with other tasks. */
async function postpone(job: Job, waitMs: number, token?: string): Promise<never> {
  await job.moveToDelayed(Date.now() + waitMs, token);
  throw new DelayedError();
}
