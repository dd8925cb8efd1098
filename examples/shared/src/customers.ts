import type { IncomingHttpHeaders } from 'node:http';
import { PLANS, type Plan } from './plans.js';

export interface Customer {
  readonly id: string;
  readonly plan: Plan;
}

/** Customers by their API key. */
const CUSTOMERS: ReadonlyMap<unknown, Customer> = new Map([
  ['demo-free-key', { id: 'acme', plan: 'free' }],
  ['demo-pro-key', { id: 'globex', plan: 'pro' }],
]);

/** Any framework's request. */
interface Asking {
  readonly headers: IncomingHttpHeaders;
}

export function customerOf({ headers }: Asking): Customer | undefined {
  return CUSTOMERS.get(headers['x-api-key']);
}

/** What the customer may ask for. */
export const planOf = (request: Asking) => PLANS[customerOf(request)?.plan ?? 'free'];
