import type { Mistake } from '@sluice/config';
import type { Severity } from './mistakes.js';

/**
 * Returns a mistake as the command that makes GitHub Actions show it at its line of a pull request.
 *
 * Format: "Workflow commands for GitHub Actions", `::error file={name},line={line},col={col},title={title}::{message}`, or
 * `::warning`.
 */
export function annotation({ origin, line, column, message, code }: Mistake, severity: Severity = 'error'): string {
  const place = [`file=${property(origin)}`, `line=${line}`, `col=${column}`, `title=${property(code)}`];
  return `::${severity} ${place.join(',')}::${data(message)}`;
}

const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
