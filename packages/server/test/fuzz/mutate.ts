import type { Dice } from './dice.js';

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\r\nX-Injected: 1',
  '../../etc/passwd',
  '%00%ff%2e%2e%2f',
  '__proto__',
  'constructor',
  'toString',
  '\ud800',
  '\ufeff\u202e\u0301',
  'x'.repeat(8500),
  "'; DROP TABLE limits; --",
  '10m',
  '-1s',
  '1e400d',
  '::ffff:192.0.2.1%eth0',
  '[2001:db8::1]:443',
  '255.255.255.256',
  '0x7f.1',
  '18446744073709551616',
];

const NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  1.5,
  1e-320,
  1e308,
  2 ** 31,
  2 ** 53 - 1,
  2 ** 53,
  -(2 ** 63),
  86_400_001,
];

/** A value that nobody expects. */
export function hostileValue(dice: Dice, depth = 0): unknown {
  switch (dice.roll(depth > 3 ? 4 : 8)) {
    case 0:
      return dice.pick(TEXTS);
    case 1:
      return dice.pick(NUMBERS);
    case 2:
      return dice.pick([null, true, false]);
    case 3:
      return dice.bytes(dice.roll(40)).toString(dice.pick(['latin1', 'base64url', 'utf8'] as const));
    case 4:
      return Array.from({ length: dice.roll(5) }, () => hostileValue(dice, depth + 1));
    case 5:
      return Object.fromEntries(
        Array.from({ length: dice.roll(5) }, () => [dice.pick(TEXTS), hostileValue(dice, depth + 1)]),
      );
    case 6:
      return nested(dice.roll(100));
    default:
      return Array.from({ length: 50 }, (_, i) => i);
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes one place of a value: replaces it, removes it, adds to it, or repeats it. */
export function mutated(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.oneIn(8)) return hostileValue(dice);
  if (Array.isArray(value)) return mutatedList(value, dice);
  const entries = Object.entries(value);
  if (entries.length === 0 || dice.oneIn(5)) return { ...value, [dice.pick(TEXTS)]: hostileValue(dice) };
  const [name, own] = dice.pick(entries);
  if (dice.oneIn(6)) return Object.fromEntries(entries.filter(([other]) => other !== name));
  return { ...value, [name]: mutated(own, dice) };
}

function mutatedList(list: readonly unknown[], dice: Dice): unknown {
  if (list.length === 0 || dice.oneIn(4)) return [...list, hostileValue(dice)];
  if (dice.oneIn(100)) return Array(1 + dice.roll(1500)).fill(list[0]);
  const at = dice.roll(list.length);
  return list.map((each, i) => (i === at ? mutated(each, dice) : each));
}

/** Changes some bytes: other ones, none, more, or an end before the end. */
export function mutatedBytes(bytes: Buffer, dice: Dice): Buffer {
  const at = dice.roll(bytes.length + 1);
  switch (dice.roll(5)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.roll(8)), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.roll(8))]);
    case 3:
      return Buffer.concat([bytes, bytes]);
    default: {
      const changed = Buffer.from(bytes);
      for (let i = 0; i <= dice.roll(4); i += 1)
        if (changed.length > 0) changed[dice.roll(changed.length)] = dice.roll(256);
      return changed;
    }
  }
}
