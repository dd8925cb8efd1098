import { policies } from '@sluice/config';
import { MemoryStore, type Store } from '@sluice/core';
import { ManualClock } from '@sluice/core/testing';
import { createGrpcListener, type GrpcListenerOptions } from '../../src/grpc/grpc-listener.js';
import { Health } from '../../src/health/health.js';
import { createService } from '../../src/service/create-service.js';
import type { ServiceCall } from '../../src/service/service-call.js';
import { SERVICE_POLICIES } from '../../src/service/service-policies.js';
import { callerCheck } from '../../src/trust/caller-check.js';
import { TextSource } from '../text-source.js';

/** What a test changes. */
interface TestServerOptions extends Partial<Pick<GrpcListenerOptions, 'callers' | 'maxConnectionAgeMs' | 'metrics'>> {
  readonly store?: Store;
  /** Default: a free one. */
  readonly port?: number;
}

/** A gRPC listener over the policies of a text, in this process. */
export async function startGrpc(text: string, { store: given, port: wanted = 0, ...options }: TestServerOptions = {}) {
  const clock = new ManualClock();
  const store = given ?? new MemoryStore({ clock });
  const source = new TextSource(text);
  const live = await policies<ServiceCall, boolean>({ source, store, ...SERVICE_POLICIES });
  const service = createService({ live, store });
  const health = new Health(() => []);
  const errors: unknown[] = [];
  const callers = callerCheck({ callTokens: [], trustedProxies: [] });
  const report = (error: unknown): void => void errors.push(error);
  const listener = createGrpcListener({ service, readiness: health, callers, report, ...options });
  const port = await listener.listen('127.0.0.1', wanted);
  health.begin();
  const stop = async (): Promise<void> => {
    await listener.close(1000);
    await live.close();
  };
  return { clock, source, live, service, health, errors, listener, port, stop };
}
