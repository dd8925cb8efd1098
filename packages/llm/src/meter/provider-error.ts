import type { Meter } from './meter.js';

/** Whether a status is that of an error, 4xx or 5xx. */
export function isErrorStatus(status: number): boolean {
  return status >= 400 && status < 600;
}

/** Waits until an answer is settled, if it is an error. Whoever hears of an error may come again at once. */
export async function untilErrorIsSettled({ status }: Response, meter: Meter): Promise<void> {
  if (isErrorStatus(status)) await meter.ended;
}
