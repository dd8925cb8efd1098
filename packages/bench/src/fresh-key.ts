const KEY_LENGTH = 36;
const bytes = Buffer.alloc(KEY_LENGTH, '0');

/** Key number `n`, of 36 characters as a UUID has, in a string of its own without a hash yet: as from a request's header. */
export function freshKey(n: number): string {
  for (let rest = n, i = KEY_LENGTH - 1; i >= 0; i -= 1) {
    bytes[i] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
    if (rest === 0) break;
  }
  const key = bytes.toString('latin1');
  bytes.fill(48);
  return key;
}

/** Keys number `first` and those after it. */
export function freshKeys(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => freshKey(first + i));
}
