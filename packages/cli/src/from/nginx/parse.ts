/** One directive of an nginx configuration, such as `limit_req zone=one burst=5;`. */
export interface Directive {
  readonly name: string;
  readonly args: readonly string[];
  /** Where it stands: `nginx.conf:12`. */
  readonly place: string;
  /** The directives between its braces, if it has any. */
  readonly block: readonly Directive[] | undefined;
}

/** The text is no nginx configuration. */
export class NginxSyntaxError extends Error {
  override readonly name = 'NginxSyntaxError';
}

type Token =
  | { readonly kind: 'word'; readonly text: string; readonly line: number }
  | { readonly kind: '{' | '}' | ';'; readonly line: number };

/** nginx itself has no limit. This one is far above any real file, and keeps a hostile one from filling the stack. */
const DEEPEST = 100;

/**
 * Reads the text of an nginx configuration.
 *
 * @param origin - the name of the file, for places
 * @throws NginxSyntaxError with the place
 * @see https://nginx.org/en/docs/beginners_guide.html#conf_structure
 */
export function parseNginx(text: string, origin: string): Directive[] {
  const tokens = new Tokens(text, origin);
  const directives = blockOf(tokens, origin, 0);
  const rest = tokens.next();
  if (rest) throw new NginxSyntaxError(`${origin}:${rest.line} there is a } without a {`);
  return directives;
}

/** Reads directives up to the end of their block, or of the text. */
function blockOf(tokens: Tokens, origin: string, depth: number): Directive[] {
  if (depth > DEEPEST) throw new NginxSyntaxError(`${tokens.place} has more than ${DEEPEST} blocks in each other`);
  const directives: Directive[] = [];
  for (;;) {
    const first = tokens.peek();
    if (first === undefined || first.kind === '}') return directives;
    tokens.next();
    if (first.kind !== 'word')
      throw new NginxSyntaxError(`${origin}:${first.line} there is a ${first.kind} without a name`);
    directives.push(directiveOf(first.text, `${origin}:${first.line}`, tokens, origin, depth));
  }
}

function directiveOf(name: string, place: string, tokens: Tokens, origin: string, depth: number): Directive {
  const args: string[] = [];
  for (;;) {
    const token = tokens.next();
    if (token === undefined || token.kind === '}') throw new NginxSyntaxError(`${place} ${name} has no ; at its end`);
    if (token.kind === ';') return { name, args, place, block: undefined };
    if (token.kind === 'word') {
      args.push(token.text);
    } else {
      return { name, args, place, block: bracesOf(name, place, tokens, origin, depth) };
    }
  }
}

function bracesOf(name: string, place: string, tokens: Tokens, origin: string, depth: number): Directive[] {
  if (name.endsWith('_by_lua_block')) {
    tokens.skipCode();
    return [];
  }
  const block = blockOf(tokens, origin, depth + 1);
  if (tokens.next() === undefined) throw new NginxSyntaxError(`${place} ${name} has no } at its end`);
  return block;
}

/** A word ends at white space, at `;` and at `{`, unless the brace belongs to a variable: `${name}`. */
const WORD = /(?:\\[\s\S]|\$\{|[^\s;{\\])+/y;
const BLANK = /(?:\s|#[^\n]*)+/y;
const QUOTED = /"(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'/y;

/** The words and signs of a text, one after the other. */
class Tokens {
  readonly #text: string;
  readonly #origin: string;
  #at = 0;
  #line = 1;
  #peeked: Token | undefined;

  constructor(text: string, origin: string) {
    this.#text = text;
    this.#origin = origin;
  }

  get place(): string {
    return `${this.#origin}:${this.#line}`;
  }

  peek(): Token | undefined {
    this.#peeked ??= this.#read();
    return this.#peeked;
  }

  next(): Token | undefined {
    const token = this.peek();
    this.#peeked = undefined;
    return token;
  }

  /** Skips the code of another language up to the brace that ends it. */
  skipCode(): void {
    for (let depth = 1; depth > 0; ) {
      if (this.#at >= this.#text.length)
        throw new NginxSyntaxError(`${this.place} a block of code has no } at its end`);
      const sign = this.#take(/[{}]|[^{}]+/y);
      if (sign === '{') depth += 1;
      if (sign === '}') depth -= 1;
    }
  }

  #read(): Token | undefined {
    this.#take(BLANK);
    const line = this.#line;
    const sign = this.#text[this.#at];
    if (sign === undefined) return undefined;
    if (sign === '{' || sign === '}' || sign === ';') {
      this.#at += 1;
      return { kind: sign, line };
    }
    if (sign === '"' || sign === "'") {
      const quoted = this.#take(QUOTED);
      if (quoted === '') throw new NginxSyntaxError(`${this.place} a quoted text has no ${sign} at its end`);
      return { kind: 'word', text: unescaped(quoted.slice(1, -1)), line };
    }
    const word = this.#take(WORD);
    // A single backslash at the end of the text.
    if (word === '') throw new NginxSyntaxError(`${this.place} the text ends within a word`);
    return { kind: 'word', text: unescaped(word), line };
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    for (const sign of taken) if (sign === '\n') this.#line += 1;
    return taken;
  }
}

/** nginx takes the backslash from these signs, and leaves it in front of others: regular expressions need it. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(["'\\ ])/g, '$1').replaceAll(/\\([trn])/g, (_, sign: string) => SIGNS[sign] as string);
}

const SIGNS: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' };
