import { appendFileSync } from 'node:fs';
import type { AuditWriter } from '@sluice/config';
import { SluiceError } from '@sluice/core';
import { reasonOf } from '@sluice/core/values';
import type { Log } from './log.js';

/**
 * Returns where audit lines go: the end of a file, or the log. The file is opened by its name for every line, so that it can be
 * moved away at any time.
 *
 * @throws SluiceError `SLUICE_SOURCE` if the file cannot be written
 */
export function auditWriter(file: string | undefined, log: Log): AuditWriter {
  if (file === undefined) return { write: (line) => log.info({ audit: JSON.parse(line) }, 'audit') };
  const append = (text: string): void => appendFileSync(file, text, { mode: 0o600 });
  try {
    append('');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SluiceError('SLUICE_SOURCE', `--audit: ${file} cannot be written: ${code ?? reasonOf(cause)}`, { cause });
  }
  return { write: append };
}
