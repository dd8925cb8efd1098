import { type Clock, systemClock } from '@sluice/core';
import { AuditTrail } from '../admin/audit-trail.js';
import { auditWriter } from './audit-writer.js';
import { bindingsOf } from './bindings.js';
import { Cleanup } from './cleanup.js';
import { Drain } from './drain.js';
import { listenOnAll } from './listen.js';
import type { Log } from './log.js';
import { logEvents } from './log-events.js';
import { openHealth } from './open-health.js';
import { openService } from './open-service.js';
import { openStore } from './open-store.js';
import { openTokens } from './open-tokens.js';
import type { ServerOptions } from './options/server-options.js';
import type { RunningServer } from './running-server.js';

/** Parts that a test may replace. */
export interface StartParts {
  /** The clock of the drain. Default: `systemClock`. */
  readonly clock?: Clock;
}

/**
 * Starts the decision service: opens the store, reads the policies, and listens.
 *
 * @throws SluiceError `SLUICE_POLICY_FILE` or `SLUICE_SOURCE` for a policy file that cannot be served; `SLUICE_STORE` without a
 * store that is required; `SLUICE_OPTION`
 * @throws ListenError if a port cannot be had
 * @example const server = await startServer({ ...DEFAULT_OPTIONS, file: 'sluice.yaml' }, log);
 */
export async function startServer(
  options: ServerOptions,
  log: Log,
  { clock = systemClock }: StartParts = {},
): Promise<RunningServer> {
  const cleanup = new Cleanup();
  try {
    return await start(options, log, clock, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function start(options: ServerOptions, log: Log, clock: Clock, cleanup: Cleanup): Promise<RunningServer> {
  cleanup.add(logEvents(log));
  const audit = new AuditTrail(auditWriter(options.auditFile, log));
  const opened = await openStore(options, log);
  cleanup.add(opened.close);
  const service = await openService(options.file, opened, audit);
  cleanup.add(() => service.live.close());
  const { health, close } = openHealth(service, opened);
  cleanup.add(close);
  const { tokens, file: tokenFile, remove } = openTokens(options, log);
  cleanup.add(remove);

  const drain = new Drain({
    health,
    listeners: () => bindings.map(({ listener }) => listener),
    delayMs: options.drainDelayMs,
    deadlineMs: options.drainDeadlineMs,
    clock,
    close: () => cleanup.run(),
  });
  // Whoever waits for the end of the server hears of failures.
  const begin = (): Promise<void> => drain.begin().catch(() => {});
  const bindings = bindingsOf({ options, service, readiness: health, audit, tokens, log, drain: begin });
  const [traffic = 0, grpc = 0, admin = 0] = await listenOnAll(bindings);
  health.begin();
  return {
    ports: { traffic, grpc, admin },
    service,
    readiness: health,
    tokenFile,
    drain: () => drain.begin(),
    ended: drain.ended,
    close: () => drain.hurry(),
  };
}
