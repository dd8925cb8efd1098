/** The body of a response that is sent part by part. */
export class StreamedBody {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(begin: string) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
    });
    this.#write(begin);
  }

  end(last?: string): void {
    if (last !== undefined) this.#write(last);
    this.#controller?.close();
  }

  breakOff(error: Error): void {
    this.#controller?.error(error);
  }

  #write(text: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(text));
  }
}
