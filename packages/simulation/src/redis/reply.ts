/** What a server answers. */

/** An error that a server replies. Its message is that of redis-server 7.0. */
export class RedisReplyError extends Error {
  override readonly name = 'ReplyError';
}

/** A reply of a word that is no data. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const OK = new Status('OK');

/** A reply as scripts see it, who can tell a status from a text. Texts are bytes, one per character. */
export type RawReply = string | number | null | Status | RedisReplyError | readonly RawReply[];

/** A reply as clients see it. An error is an element only of what a script returns. */
export type RedisReply = string | number | null | RedisReplyError | readonly RedisReply[];

/**
 * Returns a reply as clients see it.
 *
 * @throws RedisReplyError if the reply is one
 */
export function replyOf(reply: RawReply): RedisReply {
  if (reply instanceof RedisReplyError) throw reply;
  return element(reply);
}

function element(reply: RawReply): RedisReply {
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(element) : (reply as Exclude<RawReply, Status | readonly RawReply[]>);
}

export const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';
export const NO_INTEGER = 'ERR value is not an integer or out of range';
export const NO_FLOAT = 'ERR value is not a valid float';
export const SYNTAX = 'ERR syntax error';
export const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
export const NO_SCRIPT = 'NOSCRIPT No matching script. Please use EVAL.';

export function failWith(message: string): never {
  throw new RedisReplyError(message);
}
