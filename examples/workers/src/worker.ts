import type { Limiter, Reservation } from '@sluice/core';
import { DelayedError, type Job, UnrecoverableError, Worker, type WorkerOptions } from 'bullmq';
import { type Message, QUEUE } from './messages.js';
import { PARTNER } from './upstream-limiter.js';

/** How long a job waits in a worker at most. A longer wait is spent in the queue, where it needs no place of the worker. */
const MAX_WAIT = '2s';

const TIMEOUT_MS = 10_000;

export interface SenderOptions extends Pick<WorkerOptions, 'connection' | 'concurrency'> {
  readonly limiter: Limiter<string, true>;
  readonly upstreamUrl: string;
  /** Called for every pause that the upstream asks for, after all workers obey it. */
  readonly onPause?: (waitMs: number) => void;
  /** When it aborts, jobs that wait for their turn go back to the queue. */
  readonly signal: AbortSignal;
}

/** A worker that sends messages to the upstream, as fast as the limiter of all workers allows. */
export function createSender({ limiter, upstreamUrl, signal, onPause, ...options }: SenderOptions): Worker<Message> {
  return new Worker<Message>(
    QUEUE,
    async (job, token) => {
      const turn = await turnOf(limiter, signal);
      if (!turn) return postpone(job, 0, token);
      if (!turn.allowed) return postpone(job, waitOf(turn), token);
      const response = await deliver(upstreamUrl, job.data);
      if (response.status === 429 || response.status === 503) {
        const waitMs = pauseOf(response.headers, Date.now());
        // All workers hear of it with their next decision.
        await limiter.block(PARTNER, waitMs, { reason: `the upstream answered ${response.status}` });
        onPause?.(waitMs);
        return postpone(job, waitMs, token);
      }
      if (!response.ok) throw new Error(`The upstream answered ${response.status}`);
    },
    options,
  );
}

/** Waits for the turn of a job; undefined if the signal aborts first. */
async function turnOf(limiter: Limiter<string, true>, signal: AbortSignal): Promise<Reservation | undefined> {
  try {
    return await limiter.wait(PARTNER, { maxWait: MAX_WAIT, signal });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

function waitOf({ retryAfterMs }: Reservation): number {
  if (retryAfterMs === 'never') throw new UnrecoverableError('The limit can never admit this message');
  return retryAfterMs;
}

async function deliver(upstreamUrl: string, message: Message): Promise<Response> {
  const response = await fetch(`${upstreamUrl}/send`, {
    method: 'POST',
    // The upstream records when the limiter admitted the request. A real one would not need this field.
    headers: { 'Content-Type': 'application/json', 'X-Admitted-At': `${Date.now()}` },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // The connection is free for the next request as soon as the response is read.
  await response.arrayBuffer();
  return response;
}

/** How long an upstream can pause all workers with one response, whatever it asks for. */
const LONGEST_PAUSE_MS = 3_600_000;

/** Reads `Retry-After`, which is seconds or a date, in milliseconds from now. Without it, a second has to do. */
export function pauseOf(headers: Headers, nowMs: number): number {
  const text = headers.get('Retry-After') ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs;
  return waitMs > 0 ? Math.min(waitMs, LONGEST_PAUSE_MS) : 1000;
}

/** Puts this job aside for so long. The queue goes on with other jobs. */
async function postpone(job: Job, waitMs: number, token?: string): Promise<never> {
  await job.moveToDelayed(Date.now() + waitMs, token);
  throw new DelayedError();
}
