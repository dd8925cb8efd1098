import { ASCII_CLASSES, BLOCK_BITS, BLOCK_CLASSES, BLOCK_WEIGHTS } from './character-class.js';
import { COLUMN_BITS, REPEATED, WORD_MACHINE } from './word-machine.js';

/**
 * Returns about how many tokens a text is. The time grows with the length of the text and with nothing else. Encoders differ
 * from model to model, so this is not exact for any of them: ordinary text comes within a fifth of o200k_base, and text of
 * the rarest characters of any script is not estimated below a quarter.
 */
export function estimateText(text: string): number {
  const { next, hundredths } = WORD_MACHINE;
  // Read once: as CommonJS, an import is looked up each time.
  const asciiClasses = ASCII_CLASSES;
  const blockClasses = BLOCK_CLASSES;
  const blockWeights = BLOCK_WEIGHTS;
  const blockBits = BLOCK_BITS;
  const columnBits = COLUMN_BITS;
  const repeated = REPEATED;
  const { length } = text;
  let sum = 0;
  let state = 0;
  let last = -1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    let kind: number;
    if (code < 128) {
      kind = asciiClasses[code] as number;
    } else {
      kind = blockClasses[code >> blockBits] as number;
      sum += blockWeights[code >> blockBits] as number;
    }
    const cell = (state << columnBits) + kind + (code === last ? repeated : 0);
    sum += hundredths[cell] as number;
    state = next[cell] as number;
    last = code;
  }
  return length === 0 ? 0 : Math.max(1, Math.ceil(sum / 100));
}
