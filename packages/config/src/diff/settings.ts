import { durationWords, numberWords, shareWords } from '../words/words.js';
import type { PolicyChange, SettingValue } from './policy-change.js';

/** One value of a policy file. */
export interface Setting {
  readonly value: SettingValue;
  /** The value in a sentence. */
  readonly words: string;
  /** The size of a number or a length of time, to say how many times larger it became. */
  readonly size: number | undefined;
}

/** Values by their names in the file. Names with dots are inside of others. */
export type Settings = Readonly<Record<string, Setting | undefined>>;

export const text = (value: string): Setting => ({ value, words: value, size: undefined });

export const number = (value: number): Setting => ({ value, words: numberWords(value), size: value });

export const share = (value: number): Setting => ({ value, words: shareWords(value), size: undefined });

export const list = (values: readonly string[]): Setting => text(values.join(', '));

const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

export function duration(ms: number): Setting {
  const [unit, length] = Object.entries(UNITS_MS).find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return { value: `${ms / length}${unit}`, words: durationWords(ms), size: ms };
}

/** Returns what differs between two groups of values at the same place. `place` begins the sentences: `Tier pro`. */
export function diffSettings(path: string, place: string, old: Settings, next: Settings): PolicyChange[] {
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names].flatMap((name) => {
    const [from, to] = [old[name], next[name]];
    return from?.value === to?.value ? [] : [changeOf(`${path}.${name}`, `${place}: ${name}`, from, to)];
  });
}

function changeOf(path: string, subject: string, from: Setting | undefined, to: Setting | undefined): PolicyChange {
  return {
    path,
    from: from?.value,
    to: to?.value,
    factor: from?.size === undefined || to?.size === undefined ? undefined : factorOf(from.size, to.size),
    sentence: `${subject} ${predicate(from, to)}.`,
    forgets: undefined,
  };
}

function predicate(from: Setting | undefined, to: Setting | undefined): string {
  if (to === undefined) return `is not set any more; it was ${from?.words}`;
  return from === undefined ? `is now ${to.words}; it was not set` : `is ${to.words} instead of ${from.words}`;
}

/** Returns how many times larger a size became. A step from 0 is as large as can be: Infinity. */
export function factorOf(from: number, to: number): number {
  return from === to ? 1 : to / from;
}
