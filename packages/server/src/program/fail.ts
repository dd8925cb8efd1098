import type { ExitCode } from './exit-code.js';
import type { HostProcess } from './host-process.js';

/** Says why the program cannot start, and with what it ends. */
export function fail(host: HostProcess, exitCode: ExitCode, messages: readonly string[]): void {
  for (const message of messages) host.stderr.write(`error: ${message}\n`);
  host.exitCode = exitCode;
}
