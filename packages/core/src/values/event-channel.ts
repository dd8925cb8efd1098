import { NODE } from './node.js';

/** What events need of a channel of `node:diagnostics_channel`. */
export interface EventChannel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
  subscribe(listener: (message: unknown) => void): void;
  unsubscribe(listener: (message: unknown) => void): void;
}

/** Returns the channel with this name; its own in a runtime without `node:diagnostics_channel`. */
export function channel(name: string): EventChannel {
  return NODE?.getBuiltinModule('node:diagnostics_channel')?.channel(name) ?? new OwnChannel();
}

/** A channel for the listeners of this package alone. An error of a listener is reported as uncaught, as Node does it. */
export class OwnChannel implements EventChannel {
  /** Replaced, never changed: a listener may stop listening while it is called. */
  #listeners: readonly ((message: unknown) => void)[] = [];

  get hasSubscribers(): boolean {
    return this.#listeners.length > 0;
  }

  publish(message: unknown): void {
    for (const listener of this.#listeners) {
      try {
        listener(message);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  subscribe(listener: (message: unknown) => void): void {
    this.#listeners = [...this.#listeners, listener];
  }

  unsubscribe(listener: (message: unknown) => void): void {
    const index = this.#listeners.indexOf(listener);
    if (index >= 0) this.#listeners = this.#listeners.toSpliced(index, 1);
  }
}
