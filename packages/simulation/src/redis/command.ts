import type { Keyspace } from './keyspace.js';
import { failWith, NO_FLOAT, NO_INTEGER, type RawReply } from './reply.js';

/** A command on keys. It gets its arguments without its name, as bytes. */
export interface Command {
  readonly name: string;
  /** How many words the command has, with its name; if negative, at least so many. */
  readonly arity: number;
  readonly isWrite: boolean;
  /** Whether a server without memory refuses it. */
  readonly needsMemory: boolean;
  readonly run: (keyspace: Keyspace, args: readonly string[]) => RawReply;
}

type Run = Command['run'];

/** A command that changes nothing. */
export const reads = (name: string, arity: number, run: Run): Command => ({
  name,
  arity,
  isWrite: false,
  needsMemory: false,
  run,
});

/** A command that may need more memory. */
export const writes = (name: string, arity: number, run: Run): Command => ({
  name,
  arity,
  isWrite: true,
  needsMemory: true,
  run,
});

/** A command that writes without needing memory, so that it works on a full server. */
export const frees = (name: string, arity: number, run: Run): Command => ({
  name,
  arity,
  isWrite: true,
  needsMemory: false,
  run,
});

const INTEGER = /^(0|-?[1-9]\d{0,18})$/;

/** @throws RedisReplyError */
export function integerIn(text: string, problem = NO_INTEGER): number {
  const value = Number(text);
  if (!INTEGER.test(text) || value > 2 ** 63 || value < -(2 ** 63)) return failWith(problem);
  return value;
}

/** @throws RedisReplyError */
export function floatIn(text: string, problem = NO_FLOAT): number {
  if (/^[+-]?inf(inity)?$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return failWith(problem);
  return Number(text);
}
