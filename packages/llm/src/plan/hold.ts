// Why it is so: core/docs/why/budgets-of-models.md

import { checkOneOf, checkOptions } from '@sluice/core/values';
import type { Counted } from './dimension.js';

/** How much a limit holds for a call until it is settled: what it probably uses, or the most that it can use. */
export type HoldKind = 'expected' | 'ceiling';

/** The same for all limits, or for those of tokens and those of money apart. */
export type Hold =
  | HoldKind
  | {
      /** What limits of tokens hold. Default: `'expected'`. */
      readonly tokens?: HoldKind;
      /** What limits of money hold. Default: `'ceiling'`. */
      readonly money?: HoldKind;
    };

/** What limits of tokens and of money hold. */
export interface CheckedHold {
  readonly tokens: HoldKind;
  readonly money: HoldKind;
}

/** What a call holds that nobody has said anything about. */
export const EXPECTED: CheckedHold = { tokens: 'expected', money: 'expected' };

const KINDS = ['expected', 'ceiling'] as const;

/**
 * A budget of money is a promise, so it is not passed by default. A limit of tokens spreads load: the expected size lets more calls run at
 * the same time.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function checkedHold(hold: Hold = {}): CheckedHold {
  if (typeof hold !== 'object' || hold === null) {
    const kind = checkOneOf(hold, 'hold', KINDS);
    return { tokens: kind, money: kind };
  }
  checkOptions(hold, ['tokens', 'money'], 'hold');
  const { tokens = 'expected', money = 'ceiling' } = hold;
  return { tokens: checkOneOf(tokens, 'hold.tokens', KINDS), money: checkOneOf(money, 'hold.money', KINDS) };
}

/** Returns what a limit holds. */
export function holdKind({ tokens, money }: CheckedHold, counts: Counted): HoldKind {
  return counts === 'money' ? money : tokens;
}
