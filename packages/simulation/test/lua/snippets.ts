import { seededRandom } from '@sluice/test-kit/seeded-random';

/** Shows all values that an expression has, tables by their contents, or the error. */
const SHOW = `local show
function show(value)
  if type(value) ~= 'table' then return type(value) .. ':' .. tostring(value) end
  local keys, parts = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return type(a) .. tostring(a) < type(b) .. tostring(b) end)
  for _, key in ipairs(keys) do parts[#parts + 1] = show(key) .. '=' .. show(value[key]) end
  return '{' .. table.concat(parts, ',') .. '}'
end
local function showAll(...)
  local parts = {}
  for i = 1, select('#', ...) do parts[i] = show((select(i, ...))) end
  return table.concat(parts, '|')
end
`;

/** Makes Lua from a seed: the same for the same seed. */
export class Snippets {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** A script that shows what some expression has for values. */
  next(): string {
    return `${SHOW}return showAll(pcall(function() ${this.#body()} end))`;
  }

  #body(): string {
    return this.#oneOf(
      () => `return ${this.#operation()}`,
      () => `return ${this.#operation()}`,
      () => `return ${this.#formatted()}`,
      () => `return ${this.#texts()}`,
      () => `return ${this.#searched()}`,
      () => `return ${this.#searched()}`,
      () => `return ${this.#structured()}`,
      () => `return ${this.#packed()}`,
      () => `return ${this.#json()}`,
      () => `return ${this.#maths()}`,
      () => this.#listed(),
      () => this.#program(),
      () => this.#program(),
    );
  }

  #oneOf<T>(...makers: readonly (() => T)[]): T {
    return (makers[this.#below(makers.length)] as () => T)();
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<T>(...values: readonly T[]): T {
    return values[this.#below(values.length)] as T;
  }

  #times<T>(least: number, most: number, make: () => T): T[] {
    return Array.from({ length: least + this.#below(most - least + 1) }, make);
  }

  #number(): string {
    const value = this.#oneOf(
      () => this.#below(20) - 5,
      () => (this.#below(4000) - 2000) / 16,
      () => this.#random() * 10 ** this.#below(25),
      () => Math.floor(this.#random() * 2 ** (1 + this.#below(66))),
      () => -Math.floor(this.#random() * 2 ** (1 + this.#below(64))),
      () => (this.#random() - 0.5) / 10 ** this.#below(12),
      () => this.#pick(2 ** 31, 2 ** 53, 2 ** 63, 1e14, 1e15, 99999999999999.5, 123456789012345, 12345678901234.5, 0.5),
    );
    return value < 0 ? `(${value})` : String(value);
  }

  #text(most = 6): string {
    const letters = this.#times(0, most, () =>
      this.#pick('a', 'b', 'A', '1', '0', ' ', '.', '-', '%', 'x', '\\n', '\\0', '\\200', '\\\\', 'é', '+', '_'),
    );
    return `"${letters.join('')}"`;
  }

  #numeral(): string {
    const text = this.#pick(
      '10',
      ' 7 ',
      '0x1F',
      '1e3',
      '.5',
      '5.',
      '-2',
      '',
      ' ',
      '1e',
      '0x',
      'inf',
      '1 2',
      '08',
      '12a',
      '+3',
      '--1',
      '0x1p2',
    );
    return `"${text}"`;
  }

  #value(): string {
    return this.#oneOf(
      () => this.#number(),
      () => this.#number(),
      () => this.#text(),
      () => this.#numeral(),
      () => this.#pick('nil', 'true', 'false'),
    );
  }

  #operation(): string {
    const operator = this.#pick('+', '-', '*', '/', '%', '..', '==', '~=', '<', '<=', '>', '>=', 'and', 'or');
    return this.#oneOf(
      () => `${this.#value()} ${operator} ${this.#value()}`,
      () =>
        `(${this.#value()} ${operator} ${this.#value()}) ${this.#pick('+', '..', 'and', 'or', '==')} ${this.#value()}`,
      () => `${this.#pick('-', 'not ', '#')}${this.#value()}`,
      () => `tostring(${this.#value()}), tonumber(${this.#value()})`,
      () =>
        `tonumber(${this.#pick(this.#numeral(), '"ff"', '"zz"', '"-11"', '"101"')}, ${this.#pick(2, 8, 10, 16, 36)})`,
      () => `${this.#below(4)} ^ ${this.#below(8)}`,
      () => `select(${this.#pick('"#"', '1', '2', '-1', '3')}, ${this.#value()}, ${this.#value()})`,
      () => `type(${this.#value()}), rawequal(${this.#value()}, ${this.#value()})`,
    );
  }

  #formatted(): string {
    const flags = this.#pick('', '', '-', '0', '+', ' ', '#');
    const width = this.#pick('', '', '3', '12');
    const precision = this.#pick('', '', '.0', '.1', '.3', '.10');
    return this.#oneOf(
      () =>
        `string.format("%${flags}${width}${precision}${this.#pick('d', 'i', 'g', 'f', 'e', 'G')}", ${this.#number()})`,
      () => `string.format("%${width}${this.#pick('x', 'X', 'o', 'u')}", ${this.#below(100000)})`,
      () => `string.format("%${this.#pick('', '-')}${width}${this.#pick('', '.2')}s|%%", ${this.#value()})`,
      () => `string.format("${this.#pick('%q', '%c', '%s %s', '%d')}", ${this.#pick(this.#text(), '65', 'nil')})`,
      () => `${this.#number()} .. ""`,
    );
  }

  #texts(): string {
    const text = this.#text();
    const position = (): string => String(this.#below(9) - 4);
    return this.#oneOf(
      () => `string.sub(${text}, ${position()}, ${position()})`,
      () => `string.byte(${text}, ${position()}, ${position()})`,
      () => `string.byte(${text}, ${1 + this.#below(5)})`,
      () => `string.rep(${text}, ${position()})`,
      () => `(${text}):${this.#pick('upper', 'lower', 'len', 'reverse')}()`,
      () => `string.char(${this.#times(0, 4, () => this.#below(260)).join()})`,
      () => `string.len(${this.#value()}), ${text} < ${this.#text()}`,
    );
  }

  #pattern(): string {
    const piece = (): string => {
      const single = this.#pick(
        'a',
        '.',
        '%a',
        '%d',
        '%s',
        '%w',
        '%x',
        '[ab]',
        '[^a]',
        '[a-c1]',
        '[%d.]',
        '%%',
        '%.',
        ' ',
        'A',
        '1',
        '%z',
        '%u',
        '%l',
        '%p',
        '%c',
        '[]]',
        '[^%s]',
        '[%-a]',
      );
      const repeated = single + this.#pick('', '', '*', '+', '-', '?');
      return this.#oneOf(
        () => repeated,
        () => repeated,
        () => repeated,
        () => `(${repeated})`,
        () => this.#pick('()', '%b()', '%b a', '%1', '%f[%w]', '(', '[a', '%'),
      );
    };
    const body = this.#times(1, 4, piece).join('');
    return `"${this.#pick('', '', '^')}${body}${this.#pick('', '', '$')}"`;
  }

  #searched(): string {
    const [text, pattern] = [this.#text(9), this.#pattern()];
    return this.#oneOf(
      () => `string.find(${text}, ${pattern}${this.#pick('', ', 2', ', -2', ', 1, true', ', 20')})`,
      () => `string.match(${text}, ${pattern})`,
      () =>
        `string.gsub(${text}, ${pattern}, ${this.#pick('"<%0>"', '"%1"', '"x"', '""', '"%%"', '{ a = "b", [" "] = 1 }', 'function(a) return a and #a > 1 and "!" end')}${this.#pick('', ', 1')})`,
      () =>
        `(function() local all = {} for a, b in string.gmatch(${text}, ${pattern}) do all[#all + 1] = tostring(a) .. tostring(b) end return table.concat(all, ";") end)()`,
    );
  }

  #structured(): string {
    const options = this.#times(1, 4, () =>
      this.#pick(
        'b',
        'B',
        'h',
        'H',
        'l',
        'L',
        'i',
        'I',
        'i1',
        'i3',
        'I5',
        'i6',
        'i7',
        'I7',
        'i8',
        'I8',
        'd',
        'f',
        's',
        'c0',
        'c2',
        'x',
        ' ',
      ),
    );
    const format = this.#pick('<', '>', '', '!4', '!') + options.join(this.#pick('', '', '>', '<'));
    const values = options
      .filter((option) => option !== 'x' && option !== ' ')
      .map((option) =>
        option.startsWith('c') || option === 's' ? this.#pick(this.#text(), '"abc"', '"ab"') : this.#number(),
      );
    const packed = `struct.pack("${format}"${values.map((value) => `, ${value}`).join('')})`;
    return this.#oneOf(
      () => packed,
      () => `struct.unpack("${format}", ${packed})`,
      () => `struct.unpack("${format}", ${this.#text(20)}${this.#pick('', ', 2', ', 0', ', 30')})`,
      () => `struct.size("${format}")`,
      () => `struct.unpack("${this.#pick('bc0', 'dc0', 'Hs', 'k')}", ${this.#pick('"\\3abcd"', this.#text(12))})`,
    );
  }

  #data(depth = 2): string {
    const list = (): string => `{ ${this.#times(0, 5, () => this.#data(depth - 1)).join(', ')} }`;
    if (depth > 0 && this.#below(2) === 0)
      return this.#oneOf(
        list,
        list,
        () => `{ ${this.#pick('a', 'b')} = ${this.#data(depth - 1)} }`,
        () => `{ [${this.#pick('2', '1.5', '-1', '"k"', '20', 'true')}] = ${this.#data(0)} }`,
      );
    return this.#oneOf(
      () => this.#number(),
      () => this.#text(),
      () =>
        this.#pick(
          'true',
          'false',
          '"long text of more than thirty-one bytes"',
          `string.rep("x", ${this.#pick(255, 256, 70000)})`,
        ),
    );
  }

  #packed(): string {
    const bytes = this.#times(
      0,
      6,
      () =>
        `\\${String(this.#pick(this.#below(256), 0x91, 0x81, 0xa2, 0xcc, 0xcd, 0xd0, 0xd3, 0xca, 0xcb, 0xc0)).padStart(3, '0')}`,
    );
    return this.#oneOf(
      () => `redis.sha1hex(cmsgpack.pack(${this.#data()}))`,
      () => `#cmsgpack.pack(${this.#data()}, ${this.#number()})`,
      () => `cmsgpack.unpack(cmsgpack.pack(${this.#data()}, ${this.#data()}))`,
      () => `cmsgpack.unpack("${bytes.join('')}")`,
      () =>
        `cmsgpack.${this.#pick('unpack_one', 'unpack_limit')}(cmsgpack.pack(1, "a", 2.5), ${this.#below(3)}${this.#pick('', ', 1')})`,
      () => `cmsgpack.pack(${this.#number()})`,
    );
  }

  #json(): string {
    const text = this.#pick(
      '{"a":[1,2,{"b":null}]}',
      '[1,2.5,-3e2,true,false,null]',
      '"\\\\u00e9\\\\u20ac\\\\n"',
      '[1,]',
      '{"a" 1}',
      '[',
      'nul',
      '""',
      '12',
      ' [ ] ',
      '{"a":1,"a":2}',
      '"\\\\ud83d\\\\ude00"',
      '[0x10, nan, 1.]',
      '"a',
      '[1 2]',
      '{1:2}',
      '"\\\\q"',
      '',
      '[1]x',
      '{}',
      '123456789012345678901234567890',
    );
    return this.#oneOf(
      () => `cjson.encode(${this.#data()})`,
      () => `cjson.decode('${text}')`,
      () => `cjson.decode(cjson.encode(${this.#data()}))`,
    );
  }

  #maths(): string {
    return this.#oneOf(
      () => `math.${this.#pick('floor', 'ceil', 'abs', 'sqrt')}(${this.#pick(this.#number(), this.#value())})`,
      () => `math.${this.#pick('max', 'min')}(${this.#times(0, 3, () => this.#number()).join()})`,
      () => `math.fmod(${this.#number()}, ${this.#number()}), math.modf(${this.#number()})`,
      () => `math.frexp(${this.#number()}), math.ldexp(${this.#number()}, ${this.#below(10)})`,
      () => `bit.${this.#pick('band', 'bor', 'bxor')}(${this.#below(5000)}, ${this.#number()})`,
      () =>
        `bit.${this.#pick('lshift', 'rshift', 'arshift', 'rol', 'ror')}(${this.#below(2 ** 32)}, ${this.#below(40)})`,
      () => `bit.${this.#pick('bnot', 'tobit', 'bswap', 'tohex')}(${this.#number()})`,
    );
  }

  #listed(): string {
    const values = this.#times(0, 5, () => String(this.#below(9))).join(', ');
    const change = (): string =>
      this.#pick(
        `table.insert(t, ${this.#below(9)})`,
        `table.insert(t, math.min(#t + 1, ${1 + this.#below(5)}), ${this.#below(9)})`,
        'table.remove(t)',
        `table.remove(t, ${this.#below(5)})`,
        'table.sort(t)',
        'table.sort(t, function(a, b) return a > b end)',
        `t[#t + 1] = ${this.#below(9)}`,
        't.x = #t',
      );
    const result = this.#pick(
      't',
      'table.concat(t, ",")',
      `table.concat(t, "-", ${this.#below(3)}, ${this.#below(5)})`,
      'unpack(t)',
      `unpack(t, ${this.#below(3)}, ${this.#below(6)})`,
      '#t, table.maxn(t)',
      'next(t)',
    );
    return `local t = { ${values} } ${this.#times(0, 4, change).join(' ')} return ${result}`;
  }

  /** A program of statements about a few variables, which always ends. */
  #program(): string {
    const statements = this.#times(2, 6, () => this.#statement(2)).join('\n');
    return `local a, b, c, t, steps = 1, "2", nil, { 3, 4, k = 5 }, 0
      local function many(...) steps = steps + 1 return ..., select("#", ...), a end
      local function one(x) return x and x + 1 or b end
      ${statements}
      return a, b, c, t, steps`;
  }

  #term(): string {
    return this.#pick(
      'a',
      'b',
      'c',
      't[1]',
      't.k',
      't[a]',
      '#t',
      '1',
      '2.5',
      '"3"',
      'nil',
      'true',
      'one(a)',
      'many(b, c)',
      '(many(1))',
      't.none',
      'steps',
    );
  }

  #expression(): string {
    return this.#oneOf(
      () => this.#term(),
      () => `${this.#term()} ${this.#pick('+', '-', '*', '..', 'and', 'or', '==', '<', '~=')} ${this.#term()}`,
      () => `(${this.#term()} and ${this.#term()} or ${this.#term()})`,
      () => `not ${this.#term()}`,
      () => `{ ${this.#term()}, ${this.#term()} }`,
    );
  }

  #statement(depth: number): string {
    const block = (): string => this.#times(1, 2, () => this.#statement(depth - 1)).join(' ');
    const simple = (): string =>
      this.#oneOf(
        () => `${this.#pick('a', 'b', 'c', 't.k', 't[type(a)]')} = ${this.#expression()}`,
        () => `${this.#pick('t[1]', 't[#t + 1]')} = ${this.#expression()} or 0`,
        () => `a, b = ${this.#expression()}, ${this.#expression()}`,
        () => `a, t[1], c = many(${this.#term()}, ${this.#term()})`,
        () => `local ${this.#pick('a', 'b', 'd')}, e = ${this.#expression()}`,
        () => 'many(a)',
      );
    if (depth === 0) return simple();
    return this.#oneOf(
      simple,
      simple,
      simple,
      () => `if ${this.#expression()} then ${block()} elseif ${this.#expression()} then ${block()} else ${block()} end`,
      () =>
        `for i = ${this.#pick(1, 3)}, ${this.#pick(1, 3)}${this.#pick('', ', -1', ', 0.5')} do ${block()} steps = steps + i end`,
      () =>
        `for k, v in ${this.#pick('pairs', 'ipairs')}(t) do ${this.#pick('c', 'b')} = tostring(k) .. tostring(v) break end`,
      () => `do local n = 0 repeat local m = n do ${block()} end n = n + 1 until m > 2 or ${this.#expression()} end`,
      () =>
        `do local n = 0 while n < 3 and (${this.#expression()}) do n = n + 1 do ${block()} end ${this.#pick('', 'if n == 2 then break end')} end end`,
      () =>
        `local f = function(a, ...) local c = ... ${block()} return a, ... end c = f(${this.#term()}, ${this.#term()})`,
      () =>
        `do local fs = {} for i = 1, 3 do fs[i] = function() i = i + 1 return i end end fs[1]() a = fs[1]() + fs[2]() end`,
      () => `c = select(2, pcall(function() ${block()} return ${this.#expression()} end))`,
    );
  }
}
