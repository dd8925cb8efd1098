import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@sluice/core';
import { durationMs } from '@sluice/core/values';
import { type Dialect, type EventTexts, errorBody } from './dialects/dialect.js';
import type { FakeAnswer, FakeRefusal, FullAnswer } from './fake-answer.js';
import type { FakeEnd, RecordedCall } from './fake-call.js';
import { type Sink, sinkOf } from './sink.js';

/** One exchange with a caller: writes the answer, and writes down how far it got. */
export class FakeExchange {
  readonly #call: RecordedCall;
  readonly #dialect: Dialect;
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  /** Aborted when the caller has left. */
  readonly #gone = new AbortController();

  constructor(call: RecordedCall, dialect: Dialect, response: ServerResponse, clock: Clock) {
    this.#call = call;
    this.#dialect = dialect;
    this.#response = response;
    this.#clock = clock;
    response.on('close', () => this.#close(response.writableFinished ? 'finished' : 'left'));
  }

  /** Refuses the call. */
  refuse(refusal: FakeRefusal, headers: Readonly<Record<string, string>>): void {
    const { status, retryAfterMs } = refusal;
    const hints =
      retryAfterMs === undefined
        ? {}
        : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) };
    this.#begin(status, { 'content-type': 'application/json', ...headers, ...hints });
    this.#response.end(JSON.stringify(errorBody(this.#dialect.vendor, refusal)));
  }

  /** Answers the call, as JSON or as a stream. */
  async answer(answer: FakeAnswer, full: FullAnswer, headers: Readonly<Record<string, string>>): Promise<void> {
    if (answer.silent) return;
    const events = this.#call.stream ? this.#dialect.events?.(full, this.#call) : undefined;
    const sound = events ? undefined : this.#dialect.bytes?.(full);
    const type = events ? (events.type ?? 'text/event-stream; charset=utf-8') : (sound?.type ?? 'application/json');
    const encoding = answer.gzip ? { 'content-encoding': 'gzip' } : {};
    const own = events ? {} : this.#dialect.headers?.(full, this.#call);
    this.#begin(200, { 'content-type': type, ...encoding, ...headers, ...own, ...answer.headers });
    const sink = sinkOf(this.#response, answer.gzip === true);
    if (events) await this.#stream(answer, events, sink);
    else
      await this.#sendWhole(
        sound?.bytes ?? Buffer.from(JSON.stringify(this.#dialect.json(full, this.#call))),
        answer,
        sink,
      );
  }

  async #sendWhole(bytes: Buffer, { dropAfter }: FakeAnswer, sink: Sink): Promise<void> {
    if (dropAfter === undefined) return sink.end(bytes);
    await sink.write(bytes.subarray(0, bytes.length / 2));
    this.#drop();
  }

  #begin(status: number, headers: Readonly<Record<string, string>>): void {
    this.#call.status = status;
    this.#response.writeHead(status, headers);
  }

  async #stream(answer: FakeAnswer, { opening, pieces, ending, overload }: EventTexts, sink: Sink): Promise<void> {
    const { dropAfter, stallAfter, errorAfter } = answer;
    const pauseMs = answer.pause === undefined ? 0 : durationMs(answer.pause, 'pause', 0);
    this.#response.flushHeaders();
    if (opening.length > 0) await sink.write(opening);
    for (let sent = 0; ; sent += 1) {
      this.#call.sent = sent;
      if (this.#gone.signal.aborted || sent === stallAfter) return;
      if (sent === dropAfter) return this.#drop();
      if (sent === errorAfter) return sink.end(overload);
      const piece = pieces[sent];
      if (piece === undefined) return sink.end(ending);
      if (pauseMs > 0 && !(await this.#paused(pauseMs))) return;
      await sink.write(piece);
    }
  }

  /** Resolves with whether the caller is still there. */
  async #paused(ms: number): Promise<boolean> {
    return this.#clock.sleep(ms, this.#gone.signal).then(
      () => true,
      () => false,
    );
  }

  #drop(): void {
    this.#close('dropped');
    this.#response.destroy();
  }

  #close(end: FakeEnd): void {
    this.#call.finish(end);
    this.#gone.abort();
  }
}

/** Reads the whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
