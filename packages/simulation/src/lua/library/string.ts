import { fail, failArgument } from '../lua-error.js';
import { LuaTable } from '../lua-table.js';
import { firstOf, type LuaFunction, type LuaResult, type LuaValue, NONE, typeName } from '../lua-value.js';
import { toText } from '../operations.js';
import { failType, integerAt, textAt } from './arguments.js';
import { format } from './format.js';
import { Matcher } from './pattern.js';

/** A position that may count from the end, as one that counts from 1. */
const fromStart = (position: number, length: number): number =>
  position >= 0 ? position : Math.max(0, length + position + 1);

function byte(...args: LuaValue[]): LuaResult {
  const [value, position] = args;
  if (args.length === 1 && typeof value === 'string') return value.length > 0 ? value.charCodeAt(0) : NONE;
  if (args.length === 2 && typeof value === 'string' && typeof position === 'number' && position > 0)
    return position <= value.length ? value.charCodeAt(Math.trunc(position) - 1) : NONE;
  const text = textAt(args, 1, 'byte');
  const from = fromStart(integerAt(args, 2, 'byte', 1), text.length);
  const to = Math.min(fromStart(integerAt(args, 3, 'byte', from), text.length), text.length);
  return Array.from({ length: Math.max(0, to - Math.max(1, from) + 1) }, (_, i) =>
    text.charCodeAt(Math.max(1, from) - 1 + i),
  );
}

function char(...args: LuaValue[]): LuaResult {
  const codes = args.map((_, i) => {
    const value = integerAt(args, i + 1, 'char');
    return value >= 0 && value <= 255 ? value : failArgument(i + 1, 'char', 'invalid value');
  });
  return String.fromCharCode(...codes);
}

function sub(...args: LuaValue[]): LuaResult {
  const text = textAt(args, 1, 'sub');
  const from = fromStart(integerAt(args, 2, 'sub'), text.length);
  const to = fromStart(integerAt(args, 3, 'sub', -1), text.length);
  return text.slice(Math.max(1, from) - 1, Math.max(0, to));
}

const SPECIALS = /[\^$*+?.([%-]/;

function find(...args: LuaValue[]): LuaResult {
  return search(args, 'find');
}

function match(...args: LuaValue[]): LuaResult {
  return search(args, 'match');
}

function search(args: readonly LuaValue[], name: 'find' | 'match'): LuaResult {
  const text = textAt(args, 1, name);
  const pattern = textAt(args, 2, name);
  const start = Math.min(Math.max(0, fromStart(integerAt(args, 3, name, 1), text.length) - 1), text.length);
  const isPlain = args[3] !== undefined && args[3] !== false;
  if (name === 'find' && (isPlain || !SPECIALS.test(pattern))) {
    const at = text.indexOf(pattern, start);
    return at < 0 ? undefined : [at + 1, at + pattern.length];
  }
  const isAnchored = pattern.startsWith('^');
  const matcher = new Matcher(text, pattern);
  for (let s = start; s <= text.length; s += 1) {
    const end = matcher.matchAt(s, isAnchored ? 1 : 0);
    if (end !== undefined) {
      if (name === 'match') return matcher.captures(s, end);
      return [s + 1, end, ...(matcher.captureCount > 0 ? matcher.captures(s, end) : [])];
    }
    if (isAnchored) break;
  }
  return undefined;
}

function gmatch(...args: LuaValue[]): LuaResult {
  const text = textAt(args, 1, 'gmatch');
  const pattern = textAt(args, 2, 'gmatch');
  let position = 0;
  return () => {
    const matcher = new Matcher(text, pattern);
    for (let s = position; s <= text.length; s += 1) {
      const end = matcher.matchAt(s, 0);
      if (end === undefined) continue;
      position = end === s ? end + 1 : end;
      return matcher.captures(s, end);
    }
    position = text.length + 1;
    return NONE;
  };
}

function gsub(...args: LuaValue[]): LuaResult {
  const text = textAt(args, 1, 'gsub');
  const pattern = textAt(args, 2, 'gsub');
  const replacement = args[2];
  const isUsable =
    toText(replacement) !== undefined || replacement instanceof LuaTable || typeof replacement === 'function';
  if (!isUsable) return failType(args, 3, 'gsub', 'string/function/table');
  const most = integerAt(args, 4, 'gsub', text.length + 1);
  const isAnchored = pattern.startsWith('^');
  const matcher = new Matcher(text, pattern);
  let all = '';
  let [s, count] = [0, 0];
  while (count < most) {
    const end = matcher.matchAt(s, isAnchored ? 1 : 0);
    if (end !== undefined) {
      count += 1;
      all += replaced(matcher, replacement, s, end);
    }
    if (end !== undefined && end > s) s = end;
    else if (s < text.length) {
      all += text[s];
      s += 1;
    } else break;
    if (isAnchored) break;
  }
  return [all + text.slice(s), count];
}

function replaced(matcher: Matcher, replacement: LuaValue, start: number, end: number): string {
  const own = matcher.text.slice(start, end);
  const template = toText(replacement);
  if (template !== undefined) return filled(template, matcher, start, end);
  const found =
    replacement instanceof LuaTable
      ? replacement.get(matcher.capture(0, start, end))
      : firstOf((replacement as LuaFunction)(...matcher.captures(start, end)));
  if (found === undefined || found === false) return own;
  return toText(found) ?? fail(`invalid replacement value (a ${typeName(found)})`);
}

function filled(template: string, matcher: Matcher, start: number, end: number): string {
  let all = '';
  for (let i = 0; i < template.length; i += 1) {
    const sign = template[i] as string;
    if (sign !== '%') {
      all += sign;
      continue;
    }
    i += 1;
    const next = template[i] ?? '';
    if (!/\d/.test(next)) all += next;
    else if (next === '0') all += matcher.text.slice(start, end);
    else all += toText(matcher.capture(Number(next) - 1, start, end));
  }
  return all;
}

const cased =
  (name: string, from: string, to: string, by: number): LuaFunction =>
  (...args) =>
    textAt(args, 1, name).replace(new RegExp(`[${from}-${to}]`, 'g'), (sign) =>
      String.fromCharCode(sign.charCodeAt(0) + by),
    );

export const STRING: Readonly<Record<string, LuaFunction>> = {
  byte,
  char,
  find,
  format,
  gmatch,
  gsub,
  len: (...args) => textAt(args, 1, 'len').length,
  lower: cased('lower', 'A', 'Z', 32),
  match,
  rep: (...args) => textAt(args, 1, 'rep').repeat(Math.max(0, integerAt(args, 2, 'rep'))),
  reverse: (...args) => [...textAt(args, 1, 'reverse')].reverse().join(''),
  sub,
  upper: cased('upper', 'a', 'z', -32),
};
