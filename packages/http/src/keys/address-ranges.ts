import type { IpAddress } from './plain-address.js';

/** The addresses of one family from the first to the last, both included. */
export interface AddressRange {
  readonly first: IpAddress;
  readonly last: IpAddress;
}

/** Ranges that are compared once, so that a look-up compares an address with few of them. */
export class AddressRanges {
  readonly #ipv4: readonly AddressRange[];
  readonly #ipv6: readonly AddressRange[];

  constructor(ranges: readonly AddressRange[]) {
    this.#ipv4 = merged(ranges.filter(({ first }) => typeof first === 'number'));
    this.#ipv6 = merged(ranges.filter(({ first }) => typeof first !== 'number'));
  }

  /** Whether an address is in one of the ranges. */
  has(address: IpAddress): boolean {
    const ranges = typeof address === 'number' ? this.#ipv4 : this.#ipv6;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (order((ranges[middle] as AddressRange).first, address) <= 0) low = middle + 1;
      else high = middle;
    }
    const last = ranges[low - 1]?.last;
    return last !== undefined && order(address, last) <= 0;
  }
}

/** Sorts the ranges, and joins those that overlap. */
function merged(ranges: readonly AddressRange[]): readonly AddressRange[] {
  const joined: AddressRange[] = [];
  for (const range of [...ranges].sort((one, other) => order(one.first, other.first))) {
    const before = joined.at(-1);
    if (!before || order(range.first, before.last) > 0) joined.push(range);
    else if (order(range.last, before.last) > 0) joined[joined.length - 1] = { first: before.first, last: range.last };
  }
  return joined;
}

/** Negative if the first of two addresses of one family comes before the other one, and 0 if they are the same. */
function order(one: IpAddress, other: IpAddress): number {
  if (typeof one === 'number') return one - (other as number);
  for (let i = 0; i < one.length; i += 1) {
    const difference = (one[i] as number) - ((other as readonly number[])[i] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
