import type { SimulatedRedis } from '../../redis/simulated-redis.js';
import type { Link } from '../../world/link.js';
import type { ServerNode } from '../servers/server-node.js';

/** How long a connection lives at least, and after it is ready, unless something breaks it on purpose. */
const SAFE_MS = 200;

/** What is written within this time travels together, as in one packet: it is late together, or not at all. */
const TOGETHER_MS = 0.01;

/** A command, and who gets its reply. */
export interface Command {
  readonly name: string;
  readonly args: readonly (string | number | Uint8Array)[];
  readonly isReplyInBytes: boolean;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The reply to a command, or the error that the server gave. */
export type Replied = { readonly reply: unknown } | { readonly error: Error };

/** One connection to a Redis: commands arrive in their order, and so do replies. */
export class RedisConnection {
  readonly #link: Link;
  readonly #node: ServerNode;
  readonly #redis: SimulatedRedis;
  readonly #onReply: (replied: Replied) => void;
  readonly #onBroken: () => void;
  readonly #stops: readonly (() => void)[];
  #safeUntilMs: number;
  readonly #commands = new Stream('server');
  readonly #replies = new Stream('process');
  /** Whether the process still hears of it. */
  #isOpen = true;
  /** Whether what is on its way to the server is lost. */
  #isLost = false;

  constructor(
    link: Link,
    node: ServerNode,
    redis: SimulatedRedis,
    on: { readonly reply: (replied: Replied) => void; readonly broken: () => void },
  ) {
    this.#link = link;
    this.#safeUntilMs = link.nowMs + SAFE_MS;
    this.#node = node;
    this.#redis = redis;
    this.#onReply = on.reply;
    this.#onBroken = on.broken;
    this.#stops = [link.whenBroken(() => this.break()), node.whenEnded(() => this.break())];
  }

  send({ name, args }: Pick<Command, 'name' | 'args'>): void {
    if (this.#isLost) return;
    if (this.#breaksNow()) {
      this.break();
      return;
    }
    this.#link.toServer(this.#commands.arrivalMs(this.#link), () => {
      if (!this.#isLost) this.#node.receive(() => this.#execute(name, args));
    });
  }

  /** Its client sends now all that was not answered on earlier connections. */
  ready(): void {
    this.#safeUntilMs = this.#link.nowMs + SAFE_MS;
  }

  /** Breaks it. The server notices at once, the process after a while. What is on its way is lost. */
  break(): void {
    this.#isLost = true;
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const stop of this.#stops) stop();
    this.#link.toProcess(this.#replies.arrivalMs(this.#link), () => this.#onBroken());
  }

  /** Closes it from the side of the process. What was sent still arrives, but no reply does. */
  close(): void {
    this.#isOpen = false;
    for (const stop of this.#stops) stop();
  }

  /** One that was just made does not break by chance: a client that sends much again would otherwise never get to its end. */
  #breaksNow(): boolean {
    return this.#link.nowMs >= this.#safeUntilMs && this.#link.breaksNow();
  }

  #execute(name: string, args: Command['args']): void {
    let replied: Replied;
    try {
      replied = { reply: this.#redis.execute(name, args) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      replied = { error };
    }
    if (!this.#isOpen) return;
    if (this.#breaksNow()) {
      this.break();
      return;
    }
    this.#link.toProcess(this.#replies.arrivalMs(this.#link), () => {
      if (this.#isOpen) this.#onReply(replied);
    });
  }
}

/** One direction of a connection: what is written to it arrives in its order. */
class Stream {
  readonly #to: 'server' | 'process';
  #writtenMs = Number.NEGATIVE_INFINITY;
  #arrivesMs = Number.NEGATIVE_INFINITY;

  constructor(to: 'server' | 'process') {
    this.#to = to;
  }

  /** Returns when that arrives which is written now. */
  arrivalMs(link: Link): number {
    const isTogether = link.nowMs - this.#writtenMs < TOGETHER_MS;
    this.#writtenMs = link.nowMs;
    this.#arrivesMs = isTogether ? link.afterMs(this.#arrivesMs) : link.arrivalMs(this.#to, this.#arrivesMs);
    return this.#arrivesMs;
  }
}
