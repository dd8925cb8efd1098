import { cpus } from 'node:os';

/** What figures depend on, for a page that shows them. */
export function machineName(): string {
  return `Node.js ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`;
}
