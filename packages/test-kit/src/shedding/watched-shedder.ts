import type { Permit, Shedder } from '@sluice/core/load';
import { createShedder, type LoadState, type Priority, type RequestOrigin } from '@sluice/core/load';

type PermitMethod = keyof Permit;

/** A shedder that writes down what it is asked for, and how its permits end. */
export class WatchedShedder implements Shedder {
  readonly asked: (Priority | 'exempt')[] = [];
  /** One entry for each call of a permit, so also for a second end. */
  readonly endings: PermitMethod[] = [];
  /** Whose requests it was asked for, where that was said. */
  readonly origins: RequestOrigin[] = [];
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

  admit(priority: Priority = 'normal', origin?: RequestOrigin): Permit | undefined {
    this.asked.push(priority);
    if (origin) this.origins.push(origin);
    const permit = this.#shedder.admit(priority, origin);
    return permit && this.#watched(permit);
  }

  exempt(): Permit {
    this.asked.push('exempt');
    return this.#watched(this.#shedder.exempt());
  }

  #watched(permit: Permit): Permit {
    const call = (method: PermitMethod) => (): void => {
      this.endings.push(method);
      permit[method]();
    };
    return { done: call('done'), drop: call('drop'), pause: call('pause'), resume: call('resume') };
  }
}

/**
 * A shedder with places for four requests in flight: low takes at most two of them, normal three. The limit is three, and
 * critical may pass it by half. It does not look at the event loop, so a slow machine changes nothing.
 */
export function fourPlaces(): WatchedShedder {
  return new WatchedShedder(
    createShedder({
      loop: false,
      inFlight: { algorithm: 'aimd', initial: 3, max: 3 },
      headroom: { normal: 0, low: 0.3 },
    }),
  );
}
