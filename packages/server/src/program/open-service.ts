import { type AuditWriter, fromFile, policies } from '@sluice/config';
import { createService } from '../service/create-service.js';
import type { Service } from '../service/service.js';
import type { ServiceCall } from '../service/service-call.js';
import { SERVICE_POLICIES } from '../service/service-policies.js';
import type { OpenedStore } from './opened-store.js';

/**
 * Reads the policies of a file, follows it, and makes the service that decides by them.
 *
 * @throws SluiceError `SLUICE_POLICY_FILE` or `SLUICE_SOURCE` if the file cannot be served
 */
export async function openService(
  file: string,
  { store, controls }: OpenedStore,
  audit: AuditWriter,
): Promise<Service> {
  const live = await policies<ServiceCall, boolean>({
    source: fromFile(file),
    store,
    ...SERVICE_POLICIES,
    audit,
    ...(controls && { controls }),
  });
  return createService({ live, store });
}
