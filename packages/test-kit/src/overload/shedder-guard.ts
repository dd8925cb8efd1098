import { createShedder, type RequestOrigin, type ShedderOptions } from '@sluice/core/load';
import type { MakeGuard } from './guard.js';

type Options = Omit<ShedderOptions, 'eventLoop'>;

/** A shedder as users make it, over the simulated event loop. It knows neither tenants nor bulkheads. */
export function shedder(options: Options = {}): MakeGuard {
  return ({ eventLoop }) => {
    const made = createShedder({ ...options, eventLoop });
    return { admit: (priority) => made.admit(priority), state: made.state };
  };
}

/** The same, told of each request whose it is, or where it goes. */
export function shedderBy(part: keyof RequestOrigin, options: Options = {}): MakeGuard {
  return ({ eventLoop }) => {
    const made = createShedder({ ...options, eventLoop });
    return { admit: (priority, origin) => made.admit(priority, { [part]: origin?.[part] }), state: made.state };
  };
}
