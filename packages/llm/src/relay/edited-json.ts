/** The most bytes of an answer that are read before it is passed on. One that says how far work is has some hundred. */
const MOST_BYTES = 65_536;

/**
 * Returns the body of an answer with its text changed, if it is short. A longer one is passed on as it comes.
 *
 * @param change - returns the text to pass on
 */
export async function editedJson(
  body: ReadableStream<Uint8Array>,
  change: (text: string) => string,
): Promise<ReadableStream<Uint8Array> | string> {
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  for (let bytes = 0; bytes <= MOST_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return change(Buffer.concat(parts).toString('utf8'));
    parts.push(value);
    bytes += value.length;
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const first = parts.shift();
        if (first) return controller.enqueue(first);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
