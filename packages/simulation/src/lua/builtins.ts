import type { Expression, Identifier } from 'luaparse';
import type { Local, Scopes } from './scopes.js';

/** What is known of the results of a function of the library. */
type Results = 'one' | 'any' | Type;

/** The type of an expression as far as it is known before the script runs. */
export type Type = 'number' | 'string' | 'boolean' | 'table' | 'function';

/**
 * The functions of Lua's and Redis' libraries that scripts can call, with what they return. Redis protects its tables from changes, so a name
 * always means the same function.
 */
export const BUILTINS: Readonly<Record<string, Results>> = {
  assert: 'any',
  error: 'any',
  ipairs: 'any',
  next: 'any',
  pairs: 'any',
  pcall: 'any',
  xpcall: 'any',
  rawequal: 'boolean',
  rawget: 'one',
  rawset: 'one',
  select: 'any',
  tonumber: 'one',
  tostring: 'string',
  type: 'string',
  unpack: 'any',
  'string.byte': 'any',
  'string.char': 'string',
  'string.find': 'any',
  'string.format': 'string',
  'string.gmatch': 'function',
  'string.gsub': 'any',
  'string.len': 'number',
  'string.lower': 'string',
  'string.match': 'any',
  'string.rep': 'string',
  'string.reverse': 'string',
  'string.sub': 'string',
  'string.upper': 'string',
  'table.concat': 'string',
  'table.getn': 'number',
  'table.insert': 'any',
  'table.maxn': 'number',
  'table.remove': 'any',
  'table.sort': 'any',
  'math.abs': 'number',
  'math.acos': 'number',
  'math.asin': 'number',
  'math.atan': 'number',
  'math.atan2': 'number',
  'math.ceil': 'number',
  'math.cos': 'number',
  'math.cosh': 'number',
  'math.deg': 'number',
  'math.exp': 'number',
  'math.floor': 'number',
  'math.fmod': 'number',
  'math.frexp': 'any',
  'math.ldexp': 'number',
  'math.log': 'number',
  'math.log10': 'number',
  'math.max': 'number',
  'math.min': 'number',
  'math.mod': 'number',
  'math.modf': 'any',
  'math.pow': 'number',
  'math.rad': 'number',
  'math.sin': 'number',
  'math.sinh': 'number',
  'math.sqrt': 'number',
  'math.tan': 'number',
  'math.tanh': 'number',
  'struct.pack': 'string',
  'struct.size': 'number',
  'struct.unpack': 'any',
  'cmsgpack.pack': 'string',
  'cmsgpack.unpack': 'any',
  'cmsgpack.unpack_limit': 'any',
  'cmsgpack.unpack_one': 'any',
  'cjson.decode': 'one',
  'cjson.encode': 'string',
  'bit.arshift': 'number',
  'bit.band': 'number',
  'bit.bnot': 'number',
  'bit.bor': 'number',
  'bit.bswap': 'number',
  'bit.bxor': 'number',
  'bit.lshift': 'number',
  'bit.rol': 'number',
  'bit.ror': 'number',
  'bit.rshift': 'number',
  'bit.tobit': 'number',
  'bit.tohex': 'string',
  'redis.call': 'one',
  'redis.pcall': 'one',
};

/** The tables of libraries. */
export const LIBRARIES = ['string', 'table', 'math', 'struct', 'cmsgpack', 'cjson', 'bit', 'redis'] as const;

/** Functions that Redis has, and no script can use here. */
export const REFUSED = [
  '_G',
  'collectgarbage',
  'coroutine',
  'debug',
  'gcinfo',
  'getmetatable',
  'load',
  'loadstring',
  'newproxy',
  'setmetatable',
];

/** Finds the library function that an expression always is, by its name in the table above. */
export function builtinOf(expression: Expression, scopes: Scopes): string | undefined {
  if (expression.type === 'Identifier') {
    const local = scopes.locals.get(expression);
    return local ? builtinIn(local, scopes) : builtinBy(expression.name);
  }
  if (expression.type !== 'MemberExpression' || expression.indexer !== '.') return undefined;
  const { base, identifier } = expression;
  const library = base.type === 'Identifier' ? libraryOf(base, scopes) : undefined;
  return library && builtinBy(`${library}.${identifier.name}`);
}

function builtinBy(name: string): string | undefined {
  return Object.hasOwn(BUILTINS, name) ? name : undefined;
}

/** The library function that a variable keeps for as long as it lives. */
function builtinIn({ isReassigned, values: [value] }: Local, scopes: Scopes): string | undefined {
  return isReassigned || typeof value !== 'object' ? undefined : builtinOf(value, scopes);
}

/** The library whose table a name always means. */
function libraryOf(name: Identifier, scopes: Scopes): string | undefined {
  const local = scopes.locals.get(name);
  if (!local) return LIBRARIES.find((library) => library === name.name);
  const [value] = local.values;
  if (local.isReassigned || typeof value !== 'object' || value.type !== 'Identifier') return undefined;
  return libraryOf(value, scopes);
}
