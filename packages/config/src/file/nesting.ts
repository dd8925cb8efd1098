/** Far more levels than a policy file has, and few enough for a parser that calls itself for each level. */
const MOST_LEVELS = 500;

const OPENING = new Set(['[', '{'].map((sign) => sign.charCodeAt(0)));
const CLOSING = new Set([']', '}'].map((sign) => sign.charCodeAt(0)));

/**
 * Whether a text is nested so deeply that parsing it would take long. Brackets in quotes and comments are counted, too: nobody
 * writes so many of them.
 */
export function isNestedTooDeeply(text: string): boolean {
  // Lists of lists in one line: - - - - x
  if (/(?:[-?:][ \t]+){50}/.test(text)) return true;
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) depth = Math.max(0, depth - 1);
    if (depth > MOST_LEVELS) return true;
  }
  return false;
}
