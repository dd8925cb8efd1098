import { type AnsweringHost, createAdmitter, type HttpOptions, type PolicyHandle } from '@sluice/core/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HookArguments, RateLimitOptions } from './options.js';
import { proxyTrust } from './proxy-trust.js';

type Done = (error?: Error) => void;

/** A hook for any phase before the handler. */
export interface Hook {
  (request: FastifyRequest, reply: FastifyReply, done: Done): void;
  (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void;
}

/** A hook with a policy of its own, and the handle of that. */
export type RateLimitHook = Hook & PolicyHandle;

/** Only in preParsing is there a payload before `done`. */
export function inAnyPhase(hook: (request: FastifyRequest, reply: FastifyReply, done: Done) => void): Hook {
  return (request: FastifyRequest, reply: FastifyReply, payload: unknown, done = payload) =>
    hook(request, reply, done as Done);
}

/**
 * @param options - checked here, so they may lack something; when to count is not for the hook to say.
 * @param owner - what the user wrote, of which the options were made.
 */
export function hookOf(options: Partial<RateLimitOptions>, owner: object): RateLimitHook {
  const { hook: _, ...policyOptions } = options;
  const { policy, reset, pass } = createAdmitter(policyOptions as HttpOptions<HookArguments>, host, owner);
  const hook = inAnyPhase((request, reply, done) => pass((error) => done(error as Error), request, reply));
  return Object.assign(hook, { policy, reset });
}

const host: AnsweringHost<HookArguments> = {
  requestOf: (request) => request,
  responseOf: (_request, reply) => reply.raw,
  proxyTrust,
  tell: (reservation, headers, request, reply) => {
    if (reservation) request.rateLimit = reservation;
    reply.headers(headers);
  },
  watch: (_request, reply) => {
    // Fastify does not tell of an answer that is on its way through `onSend` hooks.
    let isSending = false;
    const { send } = reply;
    reply.send = (payload) => {
      isSending = true;
      return send.call(reply, payload);
    };
    return () => isSending || reply.sent || reply.raw.headersSent;
  },
  // As bytes: to the type of a text Fastify would add a charset.
  send: ({ status, headers, body }, _request, reply) => {
    reply.code(status).headers(headers).send(Buffer.from(body));
  },
};
