import type { CallEnd } from './call-outcome.js';

/** What is told about a body that passes. */
interface BodyWatch {
  /** Returns the chunk as text, if it was decoded by itself. */
  push(chunk: Uint8Array): string | undefined;
  end(how: CallEnd): Promise<void>;
}

/** Changes a body as it passes. */
export interface BodyEdit {
  /**
   * Returns the bytes to pass on now; none if they are held back or taken out.
   *
   * @param text - the chunk as text, if somebody has decoded it already
   */
  push(chunk: Uint8Array, text: string | undefined): Uint8Array;
  /** Returns the bytes that are left when the body has ended. */
  end(): Uint8Array;
}

/** How a body is read. */
interface MeteredBodyOptions {
  /** How much is read before somebody asks. */
  readonly aheadBytes: number;
  /** Changes what is passed on. What is watched is the body as it came. Absent: the same bytes are passed on. */
  readonly edit?: BodyEdit | undefined;
}

/** A body that is watched as it passes. */
interface MeteredBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Gives the rest up: for the source, and for those who read the stream. */
  cancel(): void;
}

/** Returns a body that is read as fast as somebody asks for it. Watching and editing share one stream: each costs a chunk as much as both. */
export function meteredBody(
  body: ReadableStream<Uint8Array>,
  watch: BodyWatch,
  { aheadBytes, edit }: MeteredBodyOptions,
): MeteredBody {
  const reader = body.getReader();
  let fail: () => void = () => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = () => controller.error(new Error('The answer was not read for too long'));
      },
      async pull(controller) {
        try {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) break;
            const text = watch.push(value);
            const passed = edit ? edit.push(value, text) : value;
            // What is not enqueued is asked for no second time.
            if (passed.length === 0 && edit) continue;
            controller.enqueue(passed);
            return;
          }
        } catch (error) {
          await watch.end('broken');
          throw error;
        }
        const rest = edit?.end();
        await watch.end('complete');
        if (rest && rest.length > 0) controller.enqueue(rest);
        controller.close();
      },
      async cancel(reason) {
        await Promise.all([watch.end('broken'), cancelled(reader, reason)]);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes }),
  );
  return {
    stream,
    cancel() {
      fail();
      void cancelled(reader);
    },
  };
}

/** Cancels a body. The source may have failed already, which then says nothing new. */
export async function cancelled(body: Pick<ReadableStream, 'cancel'>, reason?: unknown): Promise<void> {
  await body.cancel(reason).catch(() => {});
}
