import { inBackground } from '../../values/clock.js';
import { isMistake } from '../../values/error.js';
import { publish, type SluiceEvents } from '../../values/events.js';

/** So many failures in a row are no accident. */
const FAILURES_TO_OPEN = 5;

/** Well below the second within which a store that is back has to decide again. */
const PROBE_EVERY_MS = 250;

/**
 * A circuit breaker: after several failures in a row nobody is sent to the store any more, but one probe at a time,
 * until one succeeds. Its timer runs only while it is open, and keeps no process alive.
 *
 * @see Nygard, "Release It!", 2007
 */
export class Breaker {
  readonly #probe: () => Promise<unknown>;
  readonly #node: string | undefined;
  #failures = 0;
  #lastStall: number | undefined;
  #cause: unknown;
  #isProbing = false;
  #stopProbing: (() => void) | undefined;
  #isStopped = false;

  /**
   * @param probe - resolves when the server is well again, and rejects in the time that a call may take
   * @param node - its name in events, where it is one of several
   */
  constructor(probe: () => Promise<unknown>, node?: string) {
    this.#probe = probe;
    this.#node = node;
  }

  get isOpen(): boolean {
    return this.#stopProbing !== undefined;
  }

  /** What the store failed with last. */
  get cause(): unknown {
    return this.#cause;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#close();
  }

  /**
   * Counts a failure. A mistake of the program, like asking a closed store, is none and says nothing of the store.
   *
   * @param stall - the number of the stall of this process that took the call's time. All failures of one stall count as
   * one, since the store may have had no time to answer.
   */
  failed(error: unknown, stall?: number): void {
    if (isMistake(error) || (stall !== undefined && stall === this.#lastStall)) return;
    this.#lastStall = stall ?? this.#lastStall;
    this.#failures += 1;
    this.#cause = error;
    if (this.#failures < FAILURES_TO_OPEN || this.isOpen || this.#isStopped) return;
    this.#stopProbing = inBackground(PROBE_EVERY_MS, () => this.#probeOnce());
    this.#tell('open');
  }

  /** Closes for good: the store itself is closed, and tells that to its callers. */
  stop(): void {
    this.#isStopped = true;
    this.#close();
  }

  #close(): void {
    if (!this.#stopProbing) return;
    this.#stopProbing();
    this.#stopProbing = undefined;
    this.#tell('closed');
  }

  #tell(state: SluiceEvents['sluice:breaker']['state']): void {
    publish('sluice:breaker', this.#node === undefined ? { state } : { state, node: this.#node });
  }

  async #probeOnce(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    this.#tell('half-open');
    try {
      await this.#probe();
      this.succeeded();
    } catch (error) {
      // Callers are to meet a mistake themselves; kept open, it would be probed for ever.
      if (isMistake(error)) this.succeeded();
      else this.#cause = error;
    } finally {
      this.#isProbing = false;
    }
  }
}
