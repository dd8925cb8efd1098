import { SluiceError } from '@sluice/core';
import type { ExitCode } from './exit-code.js';
import { fail } from './fail.js';
import { followSignals } from './follow-signals.js';
import type { HostProcess } from './host-process.js';
import { ListenError } from './listen.js';
import { openLog } from './log.js';
import { logProcess } from './log-process.js';
import { versionOf } from './options/command-line.js';
import type { ServerOptions } from './options/server-options.js';
import type { RunningServer } from './running-server.js';
import { startServer } from './start-server.js';

/** Serves until a signal or an administrator drains the instance, and ends the process. */
export async function serve(host: HostProcess, options: ServerOptions): Promise<void> {
  const { log, close } = openLog(options.logLevel);
  const end = (exitCode: ExitCode): void => {
    close();
    host.exit(exitCode);
  };
  const endAtOnce = (): void => end(1);
  logProcess(host, log, endAtOnce);
  let server: RunningServer | undefined;
  followSignals(host, { log, server: () => server, endAtOnce });
  try {
    server = await startServer(options, log);
    const { adminHost } = options;
    const { revision } = server.service.live;
    log.info({ version: versionOf(), host: options.host, adminHost, ports: server.ports, revision }, 'ready');
    await server.ended;
    log.info('drained');
    end(0);
  } catch (error) {
    const exitCode = exitCodeOfError(error);
    fail(host, exitCode, [messageOf(error)]);
    end(exitCode);
  }
}

const EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  SLUICE_OPTION: 2,
  SLUICE_POLICY_FILE: 3,
  SLUICE_SOURCE: 3,
};

function exitCodeOfError(error: unknown): ExitCode {
  return (error instanceof SluiceError && EXIT_CODES[error.code]) || 1;
}

/** An error that nobody foresaw is shown with its place in the program. */
function messageOf(error: unknown): string {
  if (error instanceof SluiceError || error instanceof ListenError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
