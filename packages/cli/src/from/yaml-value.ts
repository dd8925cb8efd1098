import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLMap,
} from 'yaml';

/** The text is no YAML, or has no document. */
export class YamlSyntaxError extends Error {
  override readonly name = 'YamlSyntaxError';
}

interface Source {
  readonly origin: string;
  readonly lines: LineCounter;
  readonly resolve: (alias: Alias) => Node | undefined;
}

/** How often aliases are followed. Few lines of aliases to aliases can stand for billions of values. */
const MOST_ALIASES = 10_000;

/**
 * A value of a YAML document, with its place. Reading goes only where it is told to, so aliases cannot blow it up. What
 * is not there reads as undefined, or as an empty list.
 */
export class YamlValue {
  readonly #node: Node | undefined;
  readonly #source: Source;

  private constructor(node: unknown, source: Source) {
    const value = node as Node | undefined;
    this.#node = isAlias(value) ? source.resolve(value) : value;
    this.#source = source;
  }

  /**
   * Reads the documents of a text. JSON is YAML, too.
   *
   * @throws YamlSyntaxError with the place
   */
  static read(text: string, origin: string): YamlValue[] {
    const lines = new LineCounter();
    const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false });
    if (!Array.isArray(documents)) throw new YamlSyntaxError(`${origin}: it is empty`);
    return documents.map((document) => {
      const [error] = document.errors;
      if (error)
        throw new YamlSyntaxError(`${origin}:${lines.linePos(error.pos[0]).line} ${error.message.split('\n')[0]}`);
      const resolved = new Map<Alias, Node | undefined>();
      let followed = 0;
      const resolve = (alias: Alias): Node | undefined => {
        followed += 1;
        if (followed > MOST_ALIASES)
          throw new YamlSyntaxError(`${origin} has more than ${MOST_ALIASES} aliases in all`);
        if (!resolved.has(alias)) resolved.set(alias, alias.resolve(document));
        return resolved.get(alias);
      };
      return new YamlValue(document.contents, { origin, lines, resolve });
    });
  }

  /** Where it stands: `kong.yml:12`. */
  get place(): string {
    const { origin, lines } = this.#source;
    const at = this.#node?.range?.[0];
    return at === undefined ? origin : `${origin}:${lines.linePos(at).line}`;
  }

  get exists(): boolean {
    return this.#node !== undefined && !(isScalar(this.#node) && this.#node.value === null);
  }

  get isMap(): boolean {
    return isMap(this.#node);
  }

  /** The value of a key, or of a map that is merged by `<<`. */
  get(key: string): YamlValue {
    return new YamlValue(this.#find(key, 0), this.#source);
  }

  #find(key: string, depth: number): unknown {
    if (!isMap(this.#node)) return undefined;
    const own = childOf(this.#node, key);
    if (own !== undefined || depth > 10) return own;
    const merged = new YamlValue(childOf(this.#node, '<<'), this.#source);
    for (const map of merged.isMap ? [merged] : merged.items) {
      const found = map.#find(key, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  get items(): YamlValue[] {
    return isSeq(this.#node) ? this.#node.items.map((item) => new YamlValue(item, this.#source)) : [];
  }

  /** The keys of a map with their values, without those that are merged. */
  get entries(): [string, YamlValue][] {
    if (!isMap(this.#node)) return [];
    return this.#node.items.map(({ key, value }) => [
      String(isScalar(key) ? key.value : key),
      new YamlValue(value, this.#source),
    ]);
  }

  /** Text, or a number as text. */
  get text(): string | undefined {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  }

  get number(): number | undefined {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    return typeof value === 'number' ? value : undefined;
  }

  get isTrue(): boolean {
    return isScalar(this.#node) && this.#node.value === true;
  }

  get isFalse(): boolean {
    return isScalar(this.#node) && this.#node.value === false;
  }

  /** The value as it is written, for messages. */
  get written(): string {
    return this.#node === undefined ? '' : (this.#node.toString?.() ?? '');
  }
}

function childOf(map: YAMLMap, name: string): unknown {
  return map.items.find(({ key }) => (isScalar(key) ? key.value : key) === name)?.value ?? undefined;
}
