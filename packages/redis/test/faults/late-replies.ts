import { createLimiter, type Limiter, slidingWindow } from '@sluice/core';
import { LeasedStore } from '@sluice/core/distributed';
import { DEFAULT_MS, Stage, sleep, slownessOf } from './stage.js';
import { TcpProxy } from './tcp-proxy.js';

const HOUR_MS = 3_600_000;

/** A Redis over a network that can hold up replies for twice the deadline. All times are longer on a slow machine. */
export class LateReplies {
  readonly stage: Stage;
  readonly proxy: TcpProxy;
  readonly timeoutMs: number;
  /** Replies come after that, and requests well before. */
  readonly lateMs: number;
  readonly leaseMs: number;

  private constructor(stage: Stage, proxy: TcpProxy, slowness: number) {
    this.stage = stage;
    this.proxy = proxy;
    this.timeoutMs = DEFAULT_MS * slowness;
    this.lateMs = 2 * this.timeoutMs;
    this.leaseMs = 1000 * slowness;
  }

  static async set(): Promise<LateReplies> {
    const stage = await Stage.set();
    const proxy = await TcpProxy.to(stage.server.port);
    return new LateReplies(stage, proxy, await slownessOf(stage.client(proxy.port)));
  }

  async clear(): Promise<void> {
    await this.stage.clear();
    await this.proxy.stop();
  }

  /** A leased limit of so many an hour. */
  async leased(limit: number): Promise<{ store: LeasedStore; limiter: Limiter<string, true> }> {
    const { stage, timeoutMs } = this;
    const beneath = stage.store({ client: stage.client(this.proxy.port), timeout: timeoutMs });
    const store = new LeasedStore({ busyFrom: 1, store: beneath, lease: this.leaseMs });
    const limiter = createLimiter<string, true>({ name: 'api', limit, window: '1h', store, onStoreError: 'deny' });
    await stage.untilBack(limiter);
    return { store, limiter };
  }

  /** What Redis has left of the stricter limit by which a leased store asks it. */
  left(limit: number): Promise<number> {
    const stricter = slidingWindow({ limit, window: HOUR_MS + this.leaseMs });
    return this.stage.remaining({ name: 'api', limit: stricter }, 'ann');
  }

  /** Asks several times while replies are late. Between the requests, the network is healthy. */
  async askFor(limiter: Limiter<string, true>): Promise<void> {
    const { stage, proxy, lateMs } = this;
    for (let i = 0; i < 5; i += 1) {
      await stage.askFor(limiter, 200);
      proxy.replyDelayMs = lateMs;
      await stage.askFor(limiter, 6 * lateMs);
      proxy.replyDelayMs = 0;
      // Replies that were sent late come in order.
      await sleep(lateMs);
      await stage.untilBack(limiter);
    }
  }
}
