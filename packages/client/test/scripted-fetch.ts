import type { Clock } from '@sluice/core';

/** What a server answers: a status with header fields, or an error in place of an answer. */
export type Scripted = number | { readonly status: number; readonly headers?: Record<string, string> } | Error;

/** A server that answers as it is told, and notes when requests came. */
export class ScriptedFetch {
  readonly arrivalsMs: number[] = [];
  readonly bodies: unknown[] = [];
  readonly fields: Headers[] = [];
  /** How many bodies of its answers were cancelled unread. */
  cancelled = 0;
  readonly #clock: Clock;
  readonly #answers: readonly Scripted[];

  /** @param answers - in their order. The last one is repeated. */
  constructor(clock: Clock, ...answers: readonly Scripted[]) {
    this.#clock = clock;
    this.#answers = answers;
  }

  get calls(): number {
    return this.arrivalsMs.length;
  }

  readonly fetch: typeof fetch = async (_input, init) => {
    init?.signal?.throwIfAborted();
    const answer = this.#answers[Math.min(this.calls, this.#answers.length - 1)] ?? 200;
    this.arrivalsMs.push(this.#clock.now());
    this.bodies.push(init?.body);
    this.fields.push(new Headers(init?.headers));
    if (answer instanceof Error) throw answer;
    const { status, headers = {} } = typeof answer === 'number' ? { status: answer } : answer;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          controller.enqueue(new TextEncoder().encode('body'));
          controller.close();
        },
        cancel: () => {
          this.cancelled += 1;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status, headers });
  };
}
