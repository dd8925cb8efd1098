import type { CallEnd } from './call-outcome.js';

/** What is told about a body that passes. */
interface BodyWatch {
  push(chunk: Uint8Array): void;
  end(how: CallEnd): Promise<void>;
}

/** A body that is watched as it passes. */
interface MeteredBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Gives the rest up: for the source, and for those who read the stream. */
  cancel(): void;
}

/**
 * Returns the same bytes, read as fast as somebody asks for them.
 *
 * @param aheadBytes - how much is read before somebody asks
 */
export function meteredBody(body: ReadableStream<Uint8Array>, watch: BodyWatch, aheadBytes: number): MeteredBody {
  const reader = body.getReader();
  let fail: () => void = () => {};
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        fail = () => controller.error(new Error('The answer was not read for too long'));
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            watch.push(value);
            controller.enqueue(value);
            return;
          }
        } catch (error) {
          await watch.end('broken');
          throw error;
        }
        await watch.end('complete');
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
