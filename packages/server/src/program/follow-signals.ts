import type { HostProcess } from './host-process.js';
import type { Log } from './log.js';
import type { RunningServer } from './running-server.js';

/** The parts that signals act on. */
interface SignalParts {
  readonly log: Log;
  /** Undefined while the program starts. */
  readonly server: () => RunningServer | undefined;
  /** Ends the process, whatever is under way. */
  endAtOnce(): void;
}

/** SIGTERM and SIGINT drain; a second one, or one during the start, ends at once. SIGHUP reads the policy file. */
export function followSignals(host: HostProcess, { log, server, endAtOnce }: SignalParts): void {
  let isEnding = false;
  const leave = (signal: NodeJS.Signals): void => {
    const running = server();
    if (isEnding || !running) {
      log.warn({ signal }, isEnding ? 'a second signal: ending at once' : 'a signal during the start: ending at once');
      endAtOnce();
      return;
    }
    isEnding = true;
    log.info({ signal }, 'draining');
    void running.drain();
  };
  host.on('SIGTERM', leave);
  host.on('SIGINT', leave);
  host.on('SIGHUP', (signal) => {
    server()
      ?.service.live.reload()
      .then(
        ({ outcome, revision }) => log.info({ signal, outcome, revision }, 'the policy file was read'),
        (error: unknown) => log.error({ signal, err: error }, 'the policy file was not read'),
      );
  });
}
