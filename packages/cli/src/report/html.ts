/** Text that is HTML already. */
export class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined;

/** Makes HTML. Every text in it is escaped, wherever it came from; undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = parts.map((part) => {
    if (part === undefined) return '';
    if (part instanceof Html) return part.toString();
    return typeof part === 'object' ? part.join('') : escaped(String(part));
  });
  return new Html(String.raw({ raw: strings }, ...texts));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => visible(text).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] as string);

/** Signs that are invisible, or that turn the direction of what follows: keys can have them, and look like others. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** Writes invisible signs by their numbers: `\u{202e}`. */
function visible(text: string): string {
  return text.replaceAll(HIDDEN, (sign) => `\\u{${(sign.codePointAt(0) as number).toString(16)}}`);
}
