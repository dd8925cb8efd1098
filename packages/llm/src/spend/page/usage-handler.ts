import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Key } from '@sluice/core';
import { checkFunction, checkName, checkOneOf, checkOptions, optionError, show, warn } from '@sluice/core/values';
import type { Spend } from '../spend.js';
import { prefersHtml } from './accept.js';
import { type Answer, JSON_FIELDS, PAGE_FIELDS, problem } from './answer.js';
import { usagePage } from './usage-page.js';

/** Options of `llm.usage`. `A` are the arguments of the framework's handlers. */
export interface UsageOptions<A extends readonly unknown[]> {
  /**
   * Returns the key of the request: give the function that the policy has as its `keyGenerator`. Nothing else in a request chooses whose
   * numbers are shown, so identify the client before. Without a key the answer is 401.
   */
  readonly keyGenerator: (...args: A) => Key | null | undefined | PromiseLike<Key | null | undefined>;
  /**
   * The scopes that are shown beside the caller's own plan, by their names. Their keys come from their `keyGenerator`. Default: none,
   * because not every user may see what the organisation spends.
   */
  readonly scopes?: readonly string[];
  /** The name of the policy. Needed if several policies use these limits. */
  readonly policy?: string;
  /** The heading of the page. Default: `'Usage'`. */
  readonly title?: string;
}

/** The reply of Fastify: the parts that the handler uses. */
export interface UsageReply {
  /** The response of `node:http` beneath it. */
  readonly raw: ServerResponse;
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets a header field. */
  header(name: string, value: string): unknown;
  /** Sends the body, and ends the response. */
  send(body: string): unknown;
}

/** The context of Koa: the parts that the handler uses. */
export interface UsageContext {
  /** The response of `node:http` beneath it. */
  readonly res: ServerResponse;
  /** The status of the response. */
  status: number;
  /** What Koa sends. */
  body: unknown;
  /** Sets a header field. */
  set(name: string, value: string): unknown;
}

/** Answers with what the key of the request has spent, in whichever framework it is called. */
export interface UsageHandler {
  /** `node:http`, Express, and Nest over Express: writes the response. */
  (request: IncomingMessage, response: ServerResponse, next?: (error?: unknown) => void): Promise<void>;
  /** Fastify, and Nest over Fastify: sends the response. */
  (request: object, reply: UsageReply): Promise<void>;
  /** Koa: sets the status and the body. */
  (context: UsageContext, next?: unknown): Promise<void>;
  /** Hono, and everything that answers a `Request` with a `Response`. */
  (context: object, next?: unknown): Promise<Response>;
}

/** What a handler asks for. */
interface UsageSource<A extends readonly unknown[]> {
  /** Reads what a key, and the scopes of a request, have spent. */
  spendOf(args: A, key: Key, options: Pick<UsageOptions<A>, 'scopes' | 'policy'>): Promise<Spend>;
  readonly scopes: readonly string[];
  /** Of dates on the page. */
  readonly timeZone: string;
}

/**
 * Makes the handler.
 *
 * @throws SluiceError `SLUICE_OPTION`
 */
export function usageHandler<A extends readonly unknown[]>(
  options: UsageOptions<A>,
  source: UsageSource<A>,
): UsageHandler {
  checkUsageOptions(options, source.scopes);
  const answer = async (args: readonly unknown[]): Promise<Answer> => {
    const key = await options.keyGenerator(...(args as unknown as A));
    if (key === undefined || key === null) return problem(401, 'Unauthorized', 'Say who you are.');
    try {
      const spend = await source.spendOf(args as unknown as A, key, options);
      return prefersHtml(args[0])
        ? { status: 200, fields: PAGE_FIELDS, body: usagePage(spend, options.title ?? 'Usage', source.timeZone) }
        : { status: 200, fields: JSON_FIELDS, body: JSON.stringify(shown(spend)) };
    } catch (error) {
      if ((error as { code?: unknown } | undefined)?.code !== 'SLUICE_STORE') throw error;
      return problem(503, 'Service Unavailable', 'What was spent cannot be read at the moment. Try again soon.');
    }
  };
  let isWarned = false;
  const warnOnce = (error: unknown): void => {
    if (isWarned) return;
    isWarned = true;
    const text = error instanceof Error ? error.stack : show(error);
    warn('SLUICE_HOOK_FAILED', `the page of what was spent failed, so the client gets status 500: ${text}`);
  };
  // One function serves all frameworks: they are told apart by what they pass.
  return ((request: object, response?: object, next?: (error?: unknown) => void) => {
    if (isNode(response)) return write(answer([request, response]), response, next, warnOnce);
    if (isReply(response)) return reply(answer([request, response]), response);
    if (isKoa(request)) return setAnswer(answer([request]), request);
    return respond(answer([request]));
  }) as UsageHandler;
}

/** The name of the policy is the operator's. */
function shown({ at, budgets, limits }: Spend): Omit<Spend, 'policy'> {
  return { at, budgets, limits };
}

function checkUsageOptions<A extends readonly unknown[]>(options: UsageOptions<A>, known: readonly string[]): void {
  checkOptions(options, ['keyGenerator', 'scopes', 'policy', 'title'], '', {
    page: 'docs/what-was-spent.md of @sluice/llm',
  });
  checkFunction(options.keyGenerator, 'keyGenerator');
  const { scopes = [], policy, title } = options;
  if (!Array.isArray(scopes)) throw optionError('scopes', 'must be a list of names', scopes);
  scopes.forEach((scope, i) => {
    checkOneOf(scope, `scopes[${i}]`, known);
  });
  if (policy !== undefined) checkName(policy, 'policy');
  if (title !== undefined && typeof title !== 'string') throw optionError('title', 'must be text', title);
}

function isNode(response: object | undefined): response is ServerResponse {
  return response !== undefined && 'setHeader' in response;
}

function isReply(response: object | undefined): response is UsageReply {
  return response !== undefined && 'raw' in response && 'send' in response;
}

/** Hono has no `response`, and would make a `res` if it were asked for one. */
function isKoa(context: object): context is UsageContext {
  return 'response' in context && isNode((context as Partial<UsageContext>).res);
}

async function write(
  answer: Promise<Answer>,
  response: ServerResponse,
  next: ((error?: unknown) => void) | undefined,
  warnOnce: (error: unknown) => void,
): Promise<void> {
  try {
    end(response, await answer);
  } catch (error) {
    if (next) return next(error);
    // Nest passes no `next`, and handles what its handlers throw. It runs on Express, whose responses have an application.
    if ('app' in response) throw error;
    // Nobody handles it on Node alone: one request would end the process.
    warnOnce(error);
    end(response, problem(500, 'Internal Server Error', 'What was spent cannot be shown.'));
  }
}

function end(response: ServerResponse, { status, fields, body }: Answer): void {
  // Somebody else has answered meanwhile, for example because it took too long.
  if (response.headersSent) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(fields)) response.setHeader(name, value);
  response.end(body);
}

async function reply(answer: Promise<Answer>, to: UsageReply): Promise<unknown> {
  const { status, fields, body } = await answer;
  to.code(status);
  for (const [name, value] of Object.entries(fields)) to.header(name, value);
  to.send(body);
  return to;
}

async function setAnswer(answer: Promise<Answer>, context: UsageContext): Promise<void> {
  const { status, fields, body } = await answer;
  for (const [name, value] of Object.entries(fields)) context.set(name, value);
  context.status = status;
  context.body = body;
}

async function respond(answer: Promise<Answer>): Promise<Response> {
  const { status, fields, body } = await answer;
  return new Response(body, { status, headers: fields });
}
