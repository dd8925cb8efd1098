import type { Shedder, ShedderOptions } from '../../load/shedder.js';
import type { Priority } from '../../values/priority.js';

type Args = readonly unknown[];

/**
 * The options of `shedLoad`. Every callback gets the arguments of the framework. Callbacks must return at once, because
 * refusing has to be the cheapest thing that a busy process does: a promise is an error.
 */
export interface ShedLoadOptions<A extends Args> extends Omit<ShedderOptions, 'eventLoop'> {
  /**
   * A shedder that you have made, for several applications of one process. Then set no `name`, `loop`, `inFlight` and
   * `headroom` here.
   */
  shedder?: Shedder;
  /** How important the request is. Requests are refused in the order low, normal, critical. Default: `'normal'`. */
  priority?: Priority | ((...args: A) => Priority | undefined);
  /**
   * Whose `Sluice-Priority` field (`critical`, `normal` or `low`) is believed: addresses and subnets of the direct peer,
   * as in an `allowList`, or a function. Of others, the field is ignored. Default: nobody's.
   */
  trustPriority?: readonly string[] | ((...args: A) => boolean);
  /** Requests that are never refused. They count in flight. */
  skip?: (...args: A) => boolean;
  /** Paths of health checks, which are never refused; false for none. Default: `['/livez', '/readyz']`. */
  health?: readonly string[] | false;
  /**
   * Whether the response is a stream, which may last as long as it likes. It counts in flight, and its duration says
   * nothing about the load. Default: a response of the type `text/event-stream`, and an upgraded connection.
   */
  isStream?: (...args: A) => boolean;
  /** Called when a request was refused, for a log. It changes nothing. */
  onShed?: (...args: A) => void;
}
