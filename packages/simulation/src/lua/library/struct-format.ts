import { fail, failArgument } from '../lua-error.js';

/** One part of a format of Lua's `struct`. */
export interface StructItem {
  readonly kind: 'integer' | 'float' | 'double' | 'padding' | 'chars' | 'terminated';
  /** In bytes. Of chars: 0 if a number before it or the text itself says it. */
  readonly size: number;
  readonly isSigned: boolean;
  readonly isBig: boolean;
  /** The largest alignment: 1 for none. */
  readonly alignment: number;
}

const LARGEST_INTEGER = 32;

const LARGEST_ALIGNMENT = 8;

const SIZES: Readonly<Record<string, number>> = { b: 1, h: 2, l: 8, i: 4, t: 8 };

/** Reads a format. A mistake in it is an item that throws, because the items before it are used first. `name` is the function's. */
export function structItems(format: string, name: string): readonly (StructItem | (() => never))[] {
  const items: (StructItem | (() => never))[] = [];
  let [at, isBig, alignment] = [0, false, 1];
  const number = (absent: number): number => {
    const [digits = ''] = /^\d*/.exec(format.slice(at)) ?? [];
    at += digits.length;
    return digits === '' ? absent : Number(digits);
  };
  const add = (kind: StructItem['kind'], size: number, isSigned = false): void => {
    items.push({ kind, size, isSigned, isBig, alignment });
  };
  while (at < format.length) {
    const option = format[at] as string;
    at += 1;
    switch (option) {
      case 'b':
      case 'B':
      case 'h':
      case 'H':
      case 'l':
      case 'L':
      case 'T':
        add('integer', SIZES[option.toLowerCase()] as number, option !== 'T' && option === option.toLowerCase());
        break;
      case 'i':
      case 'I': {
        const size = number(SIZES.i as number);
        if (size > LARGEST_INTEGER)
          return [...items, () => fail(`integral size ${size} is larger than limit of ${LARGEST_INTEGER}`)];
        add('integer', size, option === 'i');
        break;
      }
      case 'f':
        add('float', 4);
        break;
      case 'd':
        add('double', 8);
        break;
      case 'x':
        add('padding', 1);
        break;
      case 'c':
        add('chars', number(1));
        break;
      case 's':
        add('terminated', 0);
        break;
      case ' ':
        break;
      case '<':
      case '>':
        isBig = option === '>';
        break;
      case '!': {
        const wanted = number(LARGEST_ALIGNMENT);
        if (wanted <= 0 || (wanted & (wanted - 1)) !== 0)
          return [...items, () => fail(`alignment ${wanted} is not a power of 2`)];
        alignment = wanted;
        break;
      }
      default:
        return [...items, () => failArgument(1, name, `invalid format option '${option}'`)];
    }
  }
  return items;
}

/** The bytes before an item that make its position a multiple of its size. */
export function paddingAt(position: number, { kind, size, alignment }: StructItem): number {
  if (size === 0 || kind === 'chars' || kind === 'terminated') return 0;
  const unit = Math.min(size, alignment);
  return (unit - (position & (unit - 1))) & (unit - 1);
}
