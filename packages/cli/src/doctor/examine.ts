import { SluiceError } from '@sluice/core';
import { CommandError } from '../exit-code.js';
import { Diagnosis, type Examination, type Finding } from './diagnosis.js';
import { reasonText, remedyFor } from './reason.js';
import type { FileUrl, ServerUrl } from './store-url.js';

/**
 * Examines a store, and returns what was found. What an application does not need is loaded only for its own kind of store.
 *
 * @throws CommandError 3 if a package of the store is not installed
 */
export async function examine(
  address: ServerUrl | FileUrl,
  options: Omit<Examination, 'diagnosis'>,
): Promise<readonly Finding[]> {
  const examination = { ...options, diagnosis: new Diagnosis() };
  const { diagnosis } = examination;
  try {
    await byKind(address, examination);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = 'hide' in address ? address.hide(reasonText(error)) : reasonText(error);
    // An error of a store says itself what helps.
    const remedy = error instanceof SluiceError ? 'The message says what to change.' : remedyFor(reason);
    diagnosis.fail('examination', `It ended here: ${reason}.`, remedy);
  }
  return diagnosis.findings;
}

async function byKind(address: ServerUrl | FileUrl, examination: Examination): Promise<void> {
  if (address.kind === 'sqlite') {
    const { examineSqlite } = await import('./examine-sqlite.js');
    await examineSqlite(address, examination);
  } else if (address.kind === 'redis') {
    const { examineRedis } = await import('./redis/examine-redis.js');
    await examineRedis(address, examination);
  } else {
    const { examinePostgres } = await import('./examine-postgres.js');
    await examinePostgres(address, examination);
  }
}
