/** Replaces characters that would control a terminal: a policy file can contain any. Line breaks stay. */
export function printable(text: string): string {
  return text.replaceAll(CONTROLS, '\uFFFD');
}

/** Control characters except the line feed, and the marks that turn the direction of text. */
const CONTROLS = /(?!\n)\p{Cc}|\p{Bidi_Control}/gu;

/** Returns how many columns a text takes: two for the wide characters of East Asia and for emoji. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : ZERO.test(character) ? 0 : 1;
  return width;
}

const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]/u;

const ZERO = /\p{Mn}|\p{Me}|\u200B|\u200D/u;
