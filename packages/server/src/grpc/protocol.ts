import { createRequire } from 'node:module';
import type { MethodDefinition } from '@grpc/grpc-js';
import { loadSync, type Options } from '@grpc/proto-loader';
import type { RateLimitRequest } from '../descriptors/rate-limit-request.js';

/** Numbers stay numbers: those that a double cannot hold are refused anyway. Lists are there even if they are empty. */
const OPTIONS: Options = { longs: Number, arrays: true };

/** Stands for a message that cannot be read. */
export const UNREADABLE = Symbol('unreadable');

/** A message as it was received. */
export type Received<T> = T | typeof UNREADABLE;

/** A health check of a service; the empty name is the whole server. */
export interface HealthCheckRequest {
  readonly service?: string;
}

/** `HealthCheckResponse.ServingStatus`. */
export const SERVING_STATUSES = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;

export interface HealthCheckResponse {
  readonly status: (typeof SERVING_STATUSES)[keyof typeof SERVING_STATUSES];
}

/** The message of an answer, in the forms of protobuf: a Struct for data, bytes for the body. */
export type RateLimitMessage = object;

export const RATE_LIMIT_SERVICE = 'envoy.service.ratelimit.v3.RateLimitService';
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

type Method<Request, Response> = MethodDefinition<Received<Request>, Response>;

/** The services that listen. */
export interface Protocol {
  readonly rateLimit: { readonly ShouldRateLimit: Method<RateLimitRequest, RateLimitMessage> };
  readonly health: {
    readonly Check: Method<HealthCheckRequest, HealthCheckResponse>;
    readonly Watch: Method<HealthCheckRequest, HealthCheckResponse>;
  };
}

/** Reads the `.proto` files of this package: once, before the server listens. */
export function loadProtocol(): Protocol {
  const services = ['rls', 'health'].map((name) => servicesOf(`@sluice/server/proto/${name}.proto`));
  const [rls, health] = services as [Services, Services];
  return {
    rateLimit: methodsOf(rls, RATE_LIMIT_SERVICE) as unknown as Protocol['rateLimit'],
    health: methodsOf(health, HEALTH_SERVICE) as unknown as Protocol['health'],
  };
}

type Services = ReturnType<typeof loadSync>;

function servicesOf(file: string): Services {
  return loadSync(createRequire(import.meta.url).resolve(file), OPTIONS);
}

/** The methods of a service. A message that cannot be read is no fault of the server, which the library would say. */
function methodsOf(services: Services, name: string): Readonly<Record<string, MethodDefinition<unknown, object>>> {
  const methods = services[name] as Readonly<Record<string, MethodDefinition<unknown, object>>>;
  return Object.fromEntries(
    Object.entries(methods).map(([method, definition]) => {
      const requestDeserialize = (bytes: Buffer): unknown => {
        try {
          return definition.requestDeserialize(bytes);
        } catch {
          return UNREADABLE;
        }
      };
      return [method, { ...definition, requestDeserialize }];
    }),
  );
}
