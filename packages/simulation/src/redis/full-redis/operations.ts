import {
  type Change,
  concurrency,
  fixedWindow,
  type Limit,
  type LimitCheck,
  leakyBucket,
  type StoreRequest,
  slidingWindow,
  slidingWindowCounter,
  slidingWindowLog,
  tokenBucket,
} from '@sluice/core';

/** One question to a store. */
export type Operation =
  | { readonly verb: 'consume'; readonly ask: StoreRequest }
  | { readonly verb: 'adjust'; readonly change: Change };

/** What happens in one moment: questions that are asked together, while the server has memory or not. */
export interface Moment {
  /** How long after the moment before. */
  readonly afterMs: number;
  readonly isFull: boolean;
  readonly operations: readonly Operation[];
}

/** A run: limits with subjects, and what is asked about them. */
export interface FullRedisScene {
  /** One check of each limit and subject, with a cost of 1. */
  readonly checks: readonly LimitCheck[];
  readonly moments: readonly Moment[];
}

const SUBJECTS = ['ann', 'bob'] as const;

/** Makes scenes from a seed. The same seed makes the same scenes. */
export class SceneMaker {
  #state: number;
  #ids = 0;
  readonly #givenBack = new Set<string>();

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  scene(): FullRedisScene {
    this.#ids = 0;
    this.#givenBack.clear();
    const limits = this.#times(1, 3, () => this.#limit());
    const checks = limits.flatMap((limit, i) =>
      SUBJECTS.map((key) => ({ policy: 'p', name: `limit-${i}`, key, limit, cost: 1 })),
    );
    const asked: Operation[] = [];
    const moments = this.#times(3, 14, (): Moment => {
      const operations = this.#times(1, this.#chance(0.2) ? 3 : 1, () => this.#operation(checks, asked));
      asked.push(...operations);
      return {
        afterMs: this.#pick(0, 1, 10, 100, 900, 3000),
        isFull: this.#chance(0.5),
        // Corrections are calls of their own.
        operations: operations.every(({ verb }) => verb === 'consume') ? operations : operations.slice(0, 1),
      };
    });
    return { checks, moments };
  }

  #limit(): Limit {
    const limit = 1 + this.#below(8);
    const window = this.#pick(10, 100, 1000, 5000);
    const penalties = {
      ...(this.#chance(0.15) && { countRejected: this.#pick<true | 'always'>(true, 'always') }),
      ...(this.#chance(0.15) && { blockDuration: this.#pick(5, 500) }),
    };
    const make = this.#pick<() => Limit>(
      () => slidingWindow({ limit, window, ...penalties }),
      () => slidingWindowLog({ limit, window, ...penalties }),
      () => slidingWindowCounter({ limit, window, ...penalties }),
      () => fixedWindow({ limit, window, align: this.#pick('clock', 'first-request'), ...penalties }),
      () => tokenBucket({ capacity: limit, refillRate: this.#pick(1, 10, 1000), ...penalties }),
      () => leakyBucket({ capacity: limit, leakRate: this.#pick(1, 10, 1000) }),
      () => concurrency({ limit, lease: 1000 }),
    );
    return make();
  }

  /** A question about limits of one subject; sometimes an earlier one once more, as after a failure. */
  #operation(checks: readonly LimitCheck[], asked: readonly Operation[]): Operation {
    const repeated = asked.filter(({ verb, ...of }) =>
      'change' in of ? of.change.id : (of as { ask: StoreRequest }).ask.holdMs,
    );
    if (repeated.length > 0 && this.#chance(0.25)) return this.#pick(...repeated);
    const key = this.#pick(...SUBJECTS);
    const own = checks.filter((check) => check.key === key);
    const chosen = own.filter(() => this.#chance(0.75));
    const about = (chosen.length > 0 ? chosen : own).map((check) => this.#costed(check));
    return this.#chance(0.45) ? this.#change(about, asked) : this.#ask(about);
  }

  #costed(check: LimitCheck): LimitCheck {
    return check.limit.algorithm === 'concurrency'
      ? check
      : { ...check, cost: this.#pick(1, 1, 1, 2, check.limit.quota) };
  }

  #ask(checks: readonly LimitCheck[]): Operation {
    const needsId = checks.some(({ limit }) => limit.algorithm === 'concurrency');
    const holdMs = this.#chance(0.2) ? this.#pick(50, 5000) : undefined;
    const id = needsId || holdMs !== undefined ? this.#newId() : undefined;
    return {
      verb: 'consume',
      ask: { checks, ...(id !== undefined && { id }), ...(holdMs !== undefined && { holdMs }) },
    };
  }

  /** Gives units back, or charges more. Slots are given back by the id that took them, once and with all that it took. */
  #change(checks: readonly LimitCheck[], asked: readonly Operation[]): Operation {
    const own = asked.flatMap((operation) => {
      const ask = operation.verb === 'consume' ? operation.ask : undefined;
      return ask?.id !== undefined && ask.checks[0]?.key === checks[0]?.key && !this.#givenBack.has(ask.id)
        ? [ask]
        : [];
    });
    if (own.length > 0 && this.#chance(0.5)) {
      const { checks: taken, id = '' } = this.#pick(...own);
      this.#givenBack.add(id);
      return { verb: 'adjust', change: { checks: taken.map((check) => ({ ...check, cost: -check.cost })), id } };
    }
    const counted = checks.filter(({ limit }) => limit.algorithm !== 'concurrency');
    if (counted.length === 0) return this.#ask(checks);
    const sign = this.#chance(0.8) ? -1 : 1;
    const id = this.#chance(0.7) ? this.#newId() : undefined;
    return {
      verb: 'adjust',
      change: {
        checks: counted.map((check) => ({
          ...check,
          cost: sign * (this.#chance(0.3) ? check.limit.quota : check.cost),
        })),
        ...(id !== undefined && { id }),
      },
    };
  }

  #newId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }

  /** A number from 0 to 1, by a linear congruence whose high bits are used. */
  #random(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    const mixed = Math.imul(this.#state ^ (this.#state >>> 15), 0x2c1b3c6d) >>> 0;
    return (mixed >>> 8) / 2 ** 24;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #chance(part: number): boolean {
    return this.#random() < part;
  }

  #pick<T>(...values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }

  #times<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.#below(most - least + 1) }, make);
  }
}

/** An operation as one line of a story. */
export function operationText(operation: Operation): string {
  const { checks, id } = operation.verb === 'consume' ? operation.ask : operation.change;
  const about = checks.map(
    ({ name, key, limit, cost }) => `${cost} on ${name} of ${key} (${limit.algorithm} of ${limit.quota})`,
  );
  return `${operation.verb} ${about.join(', ')}${id === undefined ? '' : ` as ${id}`}`;
}
