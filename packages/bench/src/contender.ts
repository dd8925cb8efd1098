import type { Clock } from '@sluice/core';
import type { Answer } from './answer.js';

/** The limit that every contender applies to a key. */
export interface Quota {
  readonly limit: number;
  readonly windowMs: number;
  /** Room for so many keys at least; absent: the library's own default. */
  readonly maxKeys?: number;
  /** For those who can be given one; the others' hits lie together, which changes nothing for them. */
  readonly clock?: Clock;
}

/** Makes whole decisions; one whose counting is a promise is awaited, as its users must. */
export type Decider = { close(): unknown } & (
  | {
      readonly isAsync: false;
      decide(key: string, answer: Answer): void;
      /** Absent if it only counts requests. */
      decideCost?(key: string, cost: number, answer: Answer): void;
    }
  | {
      readonly isAsync: true;
      decide(key: string, answer: Answer): Promise<void>;
      /** Absent if it only counts requests. */
      decideCost?(key: string, cost: number, answer: Answer): Promise<void>;
    }
);

/** How one library is asked, over one kind of store. */
export type Contender<Where extends readonly unknown[] = []> = (
  quota: Quota,
  ...where: Where
) => Decider | Promise<Decider>;
