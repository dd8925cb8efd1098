/** The field, or the metadata, that names the operation of a request. */
export const OPERATION_ID_FIELD = 'sluice-request-id';

/** A balancer or a service that asks, not the client that it asks about. */
export interface Caller {
  /** The address of the connection. */
  readonly address: string | undefined;
  /** The operation id of the request, if the caller names one: a repeated request charges once. */
  readonly operationId?: string | undefined;
}
