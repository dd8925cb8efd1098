import type { Meter } from '../meter/meter.js';

/**
 * Returns the same stream of parts, read only as fast as somebody asks for them. The meter reads each part, and is told once how
 * the stream ended.
 */
export function meteredParts<Part>(parts: ReadableStream<Part>, meter: Meter): ReadableStream<Part> {
  const reader = parts.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(async (error: unknown) => {
          await meter.end('broken');
          throw error;
        });
        if (done) {
          await meter.end('complete');
          controller.close();
          return;
        }
        meter.read(value);
        controller.enqueue(value);
      },
      async cancel(reason) {
        await Promise.all([meter.end('broken'), reader.cancel(reason)]);
      },
    },
    { highWaterMark: 0 },
  );
}
