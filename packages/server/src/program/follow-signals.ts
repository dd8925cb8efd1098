import type { HostProcess } from './host-process.js';
import type { Log } from './log.js';
import type { RunningServer } from './running-server.js';

/** What signals need besides the server. */
export interface SignalParts {
  readonly log: Log;
  /** Ends the process, whatever is under way. */
  endAtOnce(): void;
}

/** SIGTERM and SIGINT drain, and a second one ends at once. SIGHUP reads the policy file. */
export function followSignals(host: HostProcess, server: RunningServer, { log, endAtOnce }: SignalParts): void {
  let isTold = false;
  const leave = (signal: NodeJS.Signals): void => {
    if (isTold) {
      log.warn({ signal }, 'a second signal: ending at once');
      endAtOnce();
      return;
    }
    isTold = true;
    log.info({ signal }, 'draining');
    void server.drain();
  };
  host.on('SIGTERM', leave);
  host.on('SIGINT', leave);
  host.on('SIGHUP', (signal) => {
    server.service.live.reload().then(
      ({ outcome, revision }) => log.info({ signal, outcome, revision }, 'the policy file was read'),
      (error: unknown) => log.error({ signal, err: error }, 'the policy file was not read'),
    );
  });
}
