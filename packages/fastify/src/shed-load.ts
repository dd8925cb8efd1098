import { SluiceError } from '@sluice/core';
import type { Shedder } from '@sluice/core/application';
import {
  createShedding,
  isUpgraded,
  onFieldsSent,
  onResponseEnd,
  refuseUnread,
  type ShedLoadOptions as SharedOptions,
  type SheddingHost,
  sentContentType,
} from '@sluice/core/http';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { HookArguments } from './options.js';

/** The options of `shedLoad`. Every callback gets the request and the reply. */
export type ShedLoadOptions = SharedOptions<HookArguments>;

/** The plugin, with its shedder. */
export interface ShedLoadPlugin extends FastifyPluginAsync {
  /** Counts the requests in flight and reads the event loop. An `elastic` limit takes its `calm`. */
  readonly shedder: Shedder;
}

/**
 * Makes a plugin that sheds load: while this process cannot keep up, it refuses the least important requests of its scope,
 * 404s included, with status 503 and `Retry-After`, so that all others are answered quickly. Register it before
 * everything else, also before `rateLimit`.
 *
 * `request.load` tells handlers how busy the process is. They can then answer with less.
 *
 * @throws SluiceError `SLUICE_OPTION`
 * @example await app.register(shedLoad({ priority: (request) => (request.url === '/pay' ? 'critical' : 'normal') }));
 */
export function shedLoad(options: ShedLoadOptions = {}): ShedLoadPlugin {
  if ('addHook' in Object(options)) {
    throw new SluiceError('SLUICE_OPTION', 'shedLoad makes a plugin: await app.register(shedLoad(options))');
  }
  const { shedder, admit } = createShedding(options, FASTIFY);
  const plugin = async (app: FastifyInstance): Promise<void> => {
    if (!app.hasRequestDecorator('load')) app.decorateRequest('load');
    app.addHook('onRequest', (request, reply, done) => {
      const refusal = admit(request, reply);
      if (!refusal) return done();
      // Not by the reply: its serializer and its onSend hooks are for responses of the application.
      const { raw } = reply.hijack();
      // What earlier hooks have set stays, such as the fields of CORS.
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) raw.setHeader(name, value);
      }
      refuseUnread(request.raw, raw, refusal);
    });
  };
  return Object.assign(fp(plugin, { fastify: '5.x', name: '@sluice/fastify/shed-load' }), { shedder });
}

/**
 * Returns the pattern of a route in a scope with a prefix. Without a prefix, the whole path says the same. The prefix is that of
 * the route's scope, and so perhaps a longer one than that of the plugin.
 */
function routeOf(request: FastifyRequest): string | undefined {
  const { prefix } = request.server;
  const { length } = prefix;
  if (length === 0) return undefined;
  const { url } = request.routeOptions;
  return url?.startsWith(prefix) ? url.slice(prefix.endsWith('/') ? length - 1 : length) : undefined;
}

const FASTIFY: SheddingHost<HookArguments> = {
  requestOf: ({ raw }) => raw,
  urlOf: ({ originalUrl }) => originalUrl,
  routeOf,
  keep: (load, request) => {
    request.load = load;
  },
  onFields: (notify, _request, { raw }) => onFieldsSent(raw, notify),
  isUpgrade: ({ raw }) => isUpgraded(raw),
  onEnd: (notify, _request, reply) => onResponseEnd(reply, notify),
  contentTypeOf: (_request, { raw }) => sentContentType(raw),
};
