import { ASCII_CLASSES, BLOCK_BITS, BLOCK_CLASSES, BLOCK_WEIGHTS } from './character-class.js';
import { COLUMN_BITS, REPEATED, WORD_MACHINE } from './word-machine.js';

/**
 * Returns about how many tokens a text is. The time grows with the length of the text and with nothing else. Encoders differ
 * from model to model, so this is not exact for any of them: ordinary text comes within a fifth of o200k_base, and rare
 * characters within a factor of four.
 */
export function estimateText(text: string): number {
  const { next, hundredths } = WORD_MACHINE;
  const { length } = text;
  let sum = 0;
  let state = 0;
  let last = -1;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    let kind: number;
    if (code < 128) {
      kind = ASCII_CLASSES[code] as number;
    } else {
      kind = BLOCK_CLASSES[code >> BLOCK_BITS] as number;
      sum += BLOCK_WEIGHTS[code >> BLOCK_BITS] as number;
    }
    const cell = (state << COLUMN_BITS) + kind + (code === last ? REPEATED : 0);
    sum += hundredths[cell] as number;
    state = next[cell] as number;
    last = code;
  }
  return length === 0 ? 0 : Math.max(1, Math.ceil(sum / 100));
}
