import type { Socket } from 'node:net';
import { type MemoryStore, SluiceError, systemClock } from '@sluice/core';
import type { Asked, StoreCall } from '@sluice/core/store';
import { stopwatchMs } from '@sluice/core/values';
import { greeted, greeting } from './call-lines.js';
import { CallWriter } from './call-writer.js';
import { connectLines } from './lines.js';
import { socketAt } from './place.js';

/** How long after a connection was lost, or could not be made, the next one is tried. */
const RETRY_MS = 20;

/** Calls that are sent together. */
export interface Batch {
  readonly calls: readonly Asked<StoreCall, unknown>[];
  /** Called with the line of their answers; or with the counters, if this process has become the primary meanwhile. */
  readonly replied: (reply: string | MemoryStore) => void;
  readonly failed: (error: unknown) => void;
}

interface KeptBatch {
  readonly batch: Batch;
  readonly sinceMs: number;
}

/** What a link tells its owner. */
interface LinkEvents {
  /** It has connected: the store's time, and when it was asked for. */
  readonly connected: (atMs: number, askedMs: number) => void;
  /**
   * There is no connection: nobody listens at the socket that was there, or the primary is gone. Returns whether to try again.
   */
  readonly lost: (error: NodeJS.ErrnoException | undefined, socket: string | undefined) => boolean;
}

/** The connection of a process to its primary. It is made again until it is closed, and does not keep the process alive. */
export class PrimaryLink {
  readonly #channel: string;
  readonly #timeoutMs: number;
  readonly #events: LinkEvents;
  #socket: Socket | undefined;
  /** Present while there is a connection. */
  #writer: CallWriter | undefined;
  /** Batches that wait for a connection. */
  #waiting: KeptBatch[] = [];
  /** Batches that wait for their answers, which come in the same order. */
  #onTheWay: KeptBatch[] = [];
  readonly #ended = new AbortController();
  /** Why there is no connection; undefined if there is one. */
  trouble: string | undefined = 'the connection to the primary is not made yet';

  constructor(channel: string, timeoutMs: number, events: LinkEvents) {
    this.#channel = channel;
    this.#timeoutMs = timeoutMs;
    this.#events = events;
  }

  /** Sends a batch; without a connection as soon as there is one, or never. */
  send(batch: Batch): void {
    const kept = { batch, sinceMs: stopwatchMs() };
    if (this.#writer === undefined) this.#waiting.push(kept);
    else this.#sendBy(this.#writer, kept);
  }

  #sendBy(writer: CallWriter, kept: KeptBatch): void {
    let line: string;
    try {
      line = writer.write(kept.batch.calls);
    } catch (error) {
      // JSON cannot write every value that a caller may pass. Other batches have to go on.
      kept.batch.failed(error);
      return;
    }
    this.#onTheWay.push(kept);
    this.#socket?.write(line);
  }

  connect(): void {
    const askedMs = stopwatchMs();
    const found = socketAt(this.#channel);
    const socket = connectLines(this.#channel, (line) => this.#read(line, askedMs));
    this.#socket = socket;
    let lastError: NodeJS.ErrnoException | undefined;
    socket.unref();
    socket.write(greeting());
    socket.on('error', (error) => {
      lastError = error;
    });
    socket.on('close', () => this.#lost(lastError, found));
  }

  /** Ends the connection, and returns the batches that have no answer. */
  close(): readonly Batch[] {
    this.#ended.abort();
    this.#socket?.destroy();
    return [...this.#onTheWay.splice(0), ...this.#waiting.splice(0)].map(({ batch }) => batch);
  }

  #read(line: string, askedMs: number): void {
    if (this.#writer !== undefined) {
      const { batch } = this.#onTheWay.shift() as KeptBatch;
      batch.replied(line);
      return;
    }
    const atMs = greeted(line);
    if (atMs === undefined) throw new Error('it has another version of Sluice');
    this.#connected(atMs, askedMs);
  }

  #connected(atMs: number, askedMs: number): void {
    const writer = new CallWriter();
    this.#writer = writer;
    this.trouble = undefined;
    this.#events.connected(atMs, askedMs);
    for (const kept of this.#waiting.splice(0)) this.#sendBy(writer, kept);
  }

  /**
   * Nobody has counted the batches that have no answer: a primary that ends has not read them, and if it was killed, its counters are gone. So
   * they wait for the next one.
   */
  #lost(error: NodeJS.ErrnoException | undefined, socket: string | undefined): void {
    this.#writer = undefined;
    this.trouble = error ? `the primary cannot be reached: ${error.message}` : 'the primary has ended';
    this.#waiting = [...this.#onTheWay, ...this.#waiting];
    this.#onTheWay = [];
    if (this.#ended.signal.aborted) return;
    this.#giveUpLate();
    if (!this.#events.lost(error, socket)) return;
    void this.#connectLater();
  }

  async #connectLater(): Promise<void> {
    try {
      await systemClock.sleep(RETRY_MS, this.#ended.signal, { unref: true });
    } catch {
      return;
    }
    this.connect();
  }

  /** Ends the wait of batches that nobody waits for any more. */
  #giveUpLate(): void {
    const nowMs = stopwatchMs();
    const late = this.#waiting.filter(({ batch, sinceMs }) => nowMs - sinceMs >= this.#waitOf(batch));
    if (late.length === 0) return;
    this.#waiting = this.#waiting.filter((kept) => !late.includes(kept));
    const reason = new SluiceError('SLUICE_STORE', this.trouble as string);
    for (const { batch } of late) batch.failed(reason);
  }

  /** Returns how long the last caller of a batch waits: a policy may have a timeout of its own. */
  #waitOf({ calls }: Batch): number {
    return Math.max(this.#timeoutMs, ...calls.map(({ question }) => timeoutOf(question) ?? 0));
  }
}

function timeoutOf({ method, argument }: StoreCall): number | undefined {
  return method === 'consume' || method === 'adjust' ? argument.timeoutMs : undefined;
}
