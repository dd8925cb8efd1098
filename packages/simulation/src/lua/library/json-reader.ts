import { fail } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import type { LuaUserdata, LuaValue } from '../lua-value.js';
import { numberIn } from '../number-text.js';

const DEEPEST = 1000;

/**
 * Reads JSON as Redis' cjson does: more numbers than JSON has, and surrogates one by one.
 *
 * @param nothing - what null becomes
 * @throws LuaError
 */
export function decodedJson(text: string, nothing: LuaUserdata): LuaValue {
  // Without escapes of characters, JavaScript reads bytes as well as characters.
  if (!text.includes('\\u')) {
    try {
      return luaValueOf(JSON.parse(text), nothing, 1);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return new JsonReader(text, nothing).whole();
}

function luaValueOf(value: unknown, nothing: LuaUserdata, depth: number): LuaValue {
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === null || typeof value !== 'object') return nothing;
  if (depth > DEEPEST) return fail(`Found too many nested data structures (${depth}) at character ${depth}`);
  if (Array.isArray(value)) return new LuaTable(value.map((one) => luaValueOf(one, nothing, depth + 1)));
  const table = new LuaTable();
  for (const [key, one] of Object.entries(value)) table.setString(key, luaValueOf(one, nothing, depth + 1));
  return table;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

interface Token {
  readonly kind: string;
  readonly at: number;
  readonly value?: LuaValue;
}

class JsonReader {
  readonly #text: string;
  readonly #nothing: LuaUserdata;
  #at = 0;
  #depth = 0;

  constructor(text: string, nothing: LuaUserdata) {
    this.#text = text;
    this.#nothing = nothing;
  }

  whole(): LuaValue {
    if (/^.\0|^\0./s.test(this.#text)) return fail('JSON parser does not support UTF-16 or UTF-32');
    const value = this.#value(this.#token());
    const end = this.#token();
    return end.kind === 'the end' ? value : this.#unexpected('the end', end);
  }

  #unexpected(expected: string, { kind, at }: Token): never {
    const found = kind === 'the end' ? 'T_END' : kind;
    return fail(`Expected ${expected} but found ${found} at character ${at + 1}`);
  }

  #value(token: Token): LuaValue {
    switch (token.kind) {
      case 'T_STRING':
      case 'T_NUMBER':
      case 'T_BOOLEAN':
        return token.value;
      case 'T_NULL':
        return this.#nothing;
      case 'T_ARR_BEGIN':
        return this.#list();
      case 'T_OBJ_BEGIN':
        return this.#object();
      default:
        return this.#unexpected('value', token);
    }
  }

  #descend(): void {
    this.#depth += 1;
    if (this.#depth > DEEPEST) fail(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
  }

  #list(): LuaTable {
    this.#descend();
    const values: LuaValue[] = [];
    let token = this.#token();
    if (token.kind !== 'T_ARR_END')
      for (;;) {
        values.push(this.#value(token));
        token = this.#token();
        if (token.kind === 'T_ARR_END') break;
        if (token.kind !== 'T_COMMA') return this.#unexpected('comma or array end', token);
        token = this.#token();
      }
    this.#depth -= 1;
    return new LuaTable(values);
  }

  #object(): LuaTable {
    this.#descend();
    const table = new LuaTable();
    let token = this.#token();
    if (token.kind !== 'T_OBJ_END')
      for (;;) {
        if (token.kind !== 'T_STRING') return this.#unexpected('object key string', token);
        const colon = this.#token();
        if (colon.kind !== 'T_COLON') return this.#unexpected('colon', colon);
        table.setString(token.value as string, this.#value(this.#token()));
        token = this.#token();
        if (token.kind === 'T_OBJ_END') break;
        if (token.kind !== 'T_COMMA') return this.#unexpected('comma or object end', token);
        token = this.#token();
      }
    this.#depth -= 1;
    return table;
  }

  #token(): Token {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? '-')) this.#at += 1;
    const at = this.#at;
    const sign = this.#text[at];
    if (sign === undefined || sign === '\0') return { kind: at >= this.#text.length ? 'the end' : 'invalid token', at };
    const kind = {
      '[': 'T_ARR_BEGIN',
      ']': 'T_ARR_END',
      '{': 'T_OBJ_BEGIN',
      '}': 'T_OBJ_END',
      ',': 'T_COMMA',
      ':': 'T_COLON',
    }[sign];
    if (kind) {
      this.#at += 1;
      return { kind, at };
    }
    if (sign === '"') return this.#string(at);
    return this.#word(at);
  }

  #word(at: number): Token {
    const rest = this.#text.slice(at);
    for (const [word, kind, value] of [
      ['true', 'T_BOOLEAN', true],
      ['false', 'T_BOOLEAN', false],
      ['null', 'T_NULL', undefined],
    ] as const)
      if (rest.startsWith(word)) {
        this.#at += word.length;
        return { kind, at, value };
      }
    const [number] = /^[+-]?(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)/i.exec(rest) ?? [];
    if (number === undefined) return { kind: 'invalid token', at };
    this.#at += number.length;
    return { kind: 'T_NUMBER', at, value: numberIn(number) };
  }

  #string(at: number): Token {
    let all = '';
    for (let i = at + 1; i < this.#text.length; i += 1) {
      const sign = this.#text[i] as string;
      if (sign === '"') {
        this.#at = i + 1;
        return { kind: 'T_STRING', at, value: all };
      }
      if (sign !== '\\') {
        all += sign;
        continue;
      }
      i += 1;
      const letter = this.#text[i] ?? '';
      if (letter === 'u') {
        const character = this.#character(i + 1);
        if (!character) return { kind: 'invalid unicode escape code', at: i - 1 };
        all += character.bytes;
        i += character.length;
      } else {
        const meant = ESCAPES[letter];
        if (meant === undefined) return { kind: 'invalid escape code', at: i - 1 };
        all += meant;
      }
    }
    return { kind: 'unexpected end of string', at: this.#text.length };
  }

  /** A character of four digits, or of two halves of four, as bytes of UTF-8. */
  #character(at: number): { readonly bytes: string; readonly length: number } | undefined {
    const first = this.#unit(at);
    if (first === undefined || (first >= 0xdc00 && first <= 0xdfff)) return undefined;
    if (first < 0xd800 || first > 0xdfff) return { bytes: utf8(first), length: 4 };
    const second = this.#text.startsWith('\\u', at + 4) ? this.#unit(at + 6) : undefined;
    if (second === undefined || second < 0xdc00 || second > 0xdfff) return undefined;
    return { bytes: utf8(0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff)), length: 10 };
  }

  #unit(at: number): number | undefined {
    const digits = this.#text.slice(at, at + 4);
    return /^[\da-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
  }
}

const utf8 = (character: number): string => Buffer.from(String.fromCodePoint(character)).toString('latin1');
