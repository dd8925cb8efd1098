import { stopwatchMs } from '@sluice/core/values';

/** The longest durations that the buckets count, in milliseconds. */
export const UP_TO_MS: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000];

/** How often one protocol has answered, and how long it took. Recording an answer makes nothing that has to be collected. */
export class ProtocolMetrics {
  /** By the code of the answer: a status of HTTP, or one of gRPC. They are the program's, so they are few. */
  readonly byCode = new Map<number | string, number>();
  /** One more than `UP_TO_MS`: the last one counts all longer durations. */
  readonly counts: number[] = new Array<number>(UP_TO_MS.length + 1).fill(0);
  sumMs = 0;

  /**
   * Records an answer.
   *
   * @param startMs - when the request came, as `stopwatchMs()` showed it
   */
  record(code: number | string, startMs: number): void {
    const elapsedMs = stopwatchMs() - startMs;
    this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1);
    this.sumMs += elapsedMs;
    let i = 0;
    while (i < UP_TO_MS.length && elapsedMs > (UP_TO_MS[i] as number)) i += 1;
    this.counts[i] = (this.counts[i] as number) + 1;
  }
}
