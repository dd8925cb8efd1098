/** Gives names that a policy file accepts, each to one thing only. */
export class Names {
  readonly #taken = new Set<string>();

  /**
   * Returns a name made of this text: lower case letters, digits and hyphens. A number tells it from an equal one that was
   * given before.
   *
   * @param instead - the name if nothing of the text is left
   */
  give(text: string, instead: string): string {
    const slug = slugOf(text) || instead;
    const name = isReserved(slug) ? `${slug}-${instead}` : slug;
    let unique = name;
    for (let n = 2; this.#taken.has(unique); n += 1) unique = `${name}-${n}`;
    this.#taken.add(unique);
    return unique;
  }
}

/** Names are labels of metrics and parts of header fields: short ones are read more easily. */
const LONGEST = 60;

function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^[-_]+|[-_]+$/g, '');
}

/** Every object of JavaScript has properties with some names, so a policy file refuses these. */
export const isReserved = (name: string): boolean => name in Object.prototype;

/** Returns the name of a limit or of a key: the text itself where a policy file accepts it. */
export function nameOf(text: string, instead: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : slugOf(text) || instead;
}

/** Whether a text can be the name of a header field. */
export const isHeader = (text: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
