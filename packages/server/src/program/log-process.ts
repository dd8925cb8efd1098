import type { HostProcess } from './host-process.js';
import type { Log } from './log.js';

/**
 * Puts into the log what Node would print as text: warnings, and errors that nobody has caught. Such an error ends the program,
 * because nobody knows what it has left behind.
 */
export function logProcess(host: HostProcess, log: Log, end: () => void): void {
  host.removeAllListeners('warning');
  host.on('warning', (warning) => {
    const { code, detail, message } = warning as Error & { readonly code?: string; readonly detail?: string };
    log.warn({ code, detail }, message);
  });
  const fatal = (error: unknown): void => {
    log.fatal({ err: error }, 'an error that nobody has caught');
    end();
  };
  host.on('uncaughtException', fatal);
  host.on('unhandledRejection', fatal);
}
