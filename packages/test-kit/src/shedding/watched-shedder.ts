import type { Permit, Shedder } from '@sluice/core/http';
import { createShedder, type LoadState, type Priority } from '@sluice/core/load';

/** A shedder that writes down what it is asked for, and how its permits end. */
export class WatchedShedder implements Shedder {
  readonly asked: (Priority | 'exempt')[] = [];
  /** One entry for each call of a permit, so also for a second end. */
  readonly endings: ('done' | 'drop')[] = [];
  readonly #shedder: Shedder;

  constructor(shedder: Shedder) {
    this.#shedder = shedder;
  }

  get name(): string {
    return this.#shedder.name;
  }

  get state(): LoadState {
    return this.#shedder.state;
  }

  get calm(): Shedder['calm'] {
    return this.#shedder.calm;
  }

  admit(priority: Priority = 'normal'): Permit | undefined {
    this.asked.push(priority);
    return this.#watched(this.#shedder.admit(priority));
  }

  exempt(): Permit {
    this.asked.push('exempt');
    return this.#watched(this.#shedder.exempt());
  }

  #watched<P extends Permit | undefined>(permit: P): P {
    if (permit === undefined) return permit;
    const end = (verb: 'done' | 'drop') => () => {
      this.endings.push(verb);
      permit[verb]();
    };
    return new Proxy(permit, {
      get: (target, name) => {
        if (name === 'done' || name === 'drop') return end(name);
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }
}

/**
 * A shedder with places for four requests in flight. Low takes at most two of them, normal three, critical all four. It
 * does not look at the event loop, so a slow machine changes nothing.
 */
export function fourPlaces(): WatchedShedder {
  return new WatchedShedder(
    createShedder({
      loop: false,
      inFlight: { algorithm: 'aimd', initial: 4, max: 4 },
      headroom: { normal: 0.25, low: 0.5 },
    }),
  );
}
