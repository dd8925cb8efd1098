import type { Directive } from './parse.js';

/** A variable that `map`, `geo`, `split_clients` or `set` makes from others. */
type Derived =
  | {
      readonly by: 'map' | 'geo';
      readonly source: string;
      readonly cases: ReadonlyMap<string, string>;
      readonly place: string;
    }
  | { readonly by: 'other'; readonly place: string };

/**
 * The texts that a template has, depending on one variable of the request: those for listed values (texts, or addresses of
 * a `geo`), and the one for all others. The texts hold no derived variables any more.
 */
export interface Cases {
  /** The variable, such as `$http_x_api_key`; undefined if the template is the same for all requests of a kind. */
  readonly root: string | undefined;
  readonly listed: ReadonlyMap<string, string>;
  readonly otherwise: string;
}

/** A template that the text of the configuration does not reveal. */
interface Unknown {
  readonly reason: string;
}

const VARIABLE = /\$(?:\{(\w+)\}|(\w+))/g;

/** Variables that depend on variables. nginx finds a loop only when a request comes. */
const DEEPEST = 20;

/** Settings of `map` and `geo` that look like values. */
const SETTINGS = new Set(['hostnames', 'volatile', 'ranges', 'proxy', 'proxy_recursive', 'delete', 'include']);

/** The variables that a configuration derives from others. */
export class Variables {
  readonly #derived = new Map<string, Derived>();

  /** @param directives - those of the `http` block, and of all blocks in it */
  constructor(directives: readonly Directive[]) {
    this.#read(directives);
  }

  /** Works out which texts a template can have. */
  resolve(template: string, depth = 0): Cases | Unknown {
    const name = variablesOf(template).find((variable) => this.#derived.has(variable));
    if (name === undefined) return { root: undefined, listed: new Map(), otherwise: template };
    const derived = this.#derived.get(name) as Derived;
    if (derived.by === 'other') return { reason: `${name} is made in ${derived.place}` };
    if (depth > DEEPEST) return { reason: `${name} depends on itself` };
    const cases = this.#casesOf(derived, depth);
    if ('reason' in cases) return cases;
    return this.#replaced(template, name, cases);
  }

  /** The texts that a `map` or a `geo` gives. */
  #casesOf({ by, source, cases, place }: Derived & { by: 'map' | 'geo' }, depth: number): Cases | Unknown {
    const otherwise = cases.get('default') ?? '';
    const listed = new Map([...cases].filter(([pattern]) => pattern !== 'default'));
    const pattern = [...listed.keys()].find((key) => key.startsWith('~'));
    if (pattern !== undefined) return { reason: `${place} tells by the regular expression ${pattern}` };
    if (by === 'geo') return { root: source, listed, otherwise };
    const from = this.resolve(source, depth + 1);
    if ('reason' in from) return from;
    // A `map` over one variable of the request.
    if (from.root === undefined) {
      return variablesOf(source).length === 1 && source.startsWith('$')
        ? { root: source, listed, otherwise }
        : { reason: `${place} depends on several variables` };
    }
    // A `map` over another `map` or `geo`: what that gives is looked up in this one.
    const texts = [...from.listed.values(), from.otherwise];
    if (texts.some((text) => variablesOf(text).length > 0)) return { reason: `${place} depends on several variables` };
    const lookUp = (text: string): string => listed.get(text) ?? otherwise;
    return {
      root: from.root,
      listed: new Map([...from.listed].map(([value, text]) => [value, lookUp(text)])),
      otherwise: lookUp(from.otherwise),
    };
  }

  /** Puts the texts of a variable into the template. */
  #replaced(template: string, name: string, cases: Cases): Cases | Unknown {
    const put = (text: string): string =>
      template.replaceAll(VARIABLE, (written, ...names) => (nameOf(names) === name ? text : written));
    const texts = {
      listed: [...cases.listed].map(([value, text]) => [value, put(text)] as const),
      otherwise: put(cases.otherwise),
    };
    const all = [...texts.listed.map(([, text]) => text), texts.otherwise];
    const again = all.flatMap(variablesOf).find((variable) => this.#derived.has(variable));
    if (again !== undefined) return { reason: `${name} depends on ${again}` };
    return { root: cases.root, listed: new Map(texts.listed), otherwise: texts.otherwise };
  }

  #read(directives: readonly Directive[]): void {
    for (const { name, args, block, place } of directives) {
      const variable = args.at(-1) ?? '';
      if ((name === 'map' || name === 'geo') && block) {
        const source = args.length > 1 ? (args[0] as string) : '$remote_addr';
        this.#derived.set(variable, { by: name, source: normal(source), cases: casesOf(block), place });
      } else if (name === 'split_clients') {
        this.#derived.set(variable, { by: 'other', place });
      } else if (name === 'set') {
        this.#derived.set(args[0] ?? '', { by: 'other', place });
      }
      if (block && name !== 'map' && name !== 'geo') this.#read(block);
    }
  }
}

function casesOf(block: readonly Directive[]): Map<string, string> {
  const cases = new Map<string, string>();
  for (const { name, args } of block) {
    if (SETTINGS.has(name)) continue;
    // A value that looks like a setting is written with a backslash.
    cases.set(name.startsWith('\\') ? name.slice(1) : name, args[0] ?? '');
  }
  return cases;
}

/** Returns the names of the variables in a template, each with its `$`. */
export function variablesOf(template: string): string[] {
  return [...template.matchAll(VARIABLE)].map(([, ...names]) => nameOf(names));
}

/** `${name}` is `$name`. */
const normal = (template: string): string => template.replaceAll(VARIABLE, (_, ...names) => nameOf(names));

const nameOf = ([braced, plain]: readonly unknown[]): string => `$${braced ?? plain}`;
