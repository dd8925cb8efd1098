import { figure } from '../table.js';
import { PATIENCE_MS } from './outcome.js';

/** Parts as a reader wants to see them. */
export const percent = (part: number): string => `${figure(100 * part)} %`;

/** A latency; `never` if the client left without an answer, and `-` if no request was admitted. */
export function ms(latencyMs: number | null): string {
  if (latencyMs === null) return '-';
  return latencyMs >= PATIENCE_MS ? 'never' : `${Math.round(latencyMs)} ms`;
}
