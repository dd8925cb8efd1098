import { Buffer } from 'node:buffer';
import { endianness } from 'node:os';
import { ASCII_CLASSES, BLOCK_BITS, BLOCKS, KIND_BITS, KIND_MASK } from './character-class.js';
import type { Encoding } from './encoding.js';
import { HUNDREDTHS_BITS, REPEATED, UNMADE, WordMachine } from './word-machine.js';

/** Code units that are read at a time. */
const PIECE_LENGTH = 16_384;

/**
 * The code units of a piece of text. To read them from here takes a fifth of the time of `charCodeAt`, whose compiled form is lost
 * in some processes, for example after ioredis is loaded.
 */
const codes = new Uint16Array(PIECE_LENGTH);
const bytes = Buffer.from(codes.buffer);
const isSwapped = endianness() === 'BE';

const machines: Readonly<Record<Encoding, WordMachine>> = {
  o200k_base: new WordMachine('o200k_base'),
  cl100k_base: new WordMachine('cl100k_base'),
};

/** What is carried from one piece of a text to the next. */
interface Reading {
  readonly encoding: Encoding;
  hundredths: number;
  row: number;
  last: number;
}

/**
 * Returns about how many tokens a text is. The time grows with the length of the text and with nothing else. The errors by language
 * stand in `packages/llm/docs/calls-and-prices.md`.
 */
export function estimateText(text: string, encoding: Encoding = 'o200k_base'): number {
  const { length } = text;
  if (length === 0) return 0;
  const reading: Reading = { encoding, hundredths: 0, row: 0, last: -1 };
  for (let from = 0; from < length; from += PIECE_LENGTH) {
    const end = Math.min(length, from + PIECE_LENGTH);
    bytes.write(text.slice(from, end), 'utf16le');
    if (isSwapped) bytes.swap16();
    if (readPiece(end - from, reading)) continue;
    makeCells(end - from, reading);
    readPiece(end - from, reading);
  }
  // Rounded up, the many pieces of a streamed answer would add up to too much.
  return Math.max(1, Math.round(reading.hundredths / 100));
}

/**
 * Reads the first so many code units of `codes`. Returns false, with nothing changed, if the table has no cell for some of them yet:
 * to ask for each cell whether it is made would take a fifth of the time.
 */
function readPiece(length: number, reading: Reading): boolean {
  const { cells } = machines[reading.encoding];
  const blocks = BLOCKS[reading.encoding];
  // Read once: as CommonJS, an import is looked up each time.
  const asciiClasses = ASCII_CLASSES;
  const blockBits = BLOCK_BITS;
  const kindBits = KIND_BITS;
  const kindMask = KIND_MASK;
  const repeated = REPEATED;
  const rowBits = HUNDREDTHS_BITS;
  const hundredthsMask = (1 << HUNDREDTHS_BITS) - 1;
  let sum = 0;
  let { row, last } = reading;
  for (let i = 0; i < length; i++) {
    const code = codes[i] as number;
    let kind: number;
    if (code < 128) {
      kind = asciiClasses[code] as number;
    } else {
      const block = blocks[code >> blockBits] as number;
      kind = block & kindMask;
      sum += block >> kindBits;
    }
    const cell = cells[row + kind + (code === last ? repeated : 0)] as number;
    sum += cell & hundredthsMask;
    row = cell >> rowBits;
    last = code;
  }
  if (row === UNMADE) return false;
  reading.hundredths += sum;
  reading.row = row;
  reading.last = last;
  return true;
}

/** Makes the cells that a piece needs. A table has so few that this happens seldom, whatever callers send. */
function makeCells(length: number, { encoding, row: start, last: before }: Reading): void {
  const machine = machines[encoding];
  const { cells } = machine;
  const blocks = BLOCKS[encoding];
  let row = start;
  let last = before;
  for (let i = 0; i < length; i++) {
    const code = codes[i] as number;
    const kind = code < 128 ? (ASCII_CLASSES[code] as number) : (blocks[code >> BLOCK_BITS] as number) & KIND_MASK;
    const column = kind + (code === last ? REPEATED : 0);
    const reached = (cells[row + column] as number) >> HUNDREDTHS_BITS;
    row = reached === UNMADE ? machine.make(row, column) : reached;
    last = code;
  }
}
