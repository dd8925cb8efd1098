import type { Request } from 'express';
import type { Plan } from './plans.js';

export interface Customer {
  readonly id: string;
  readonly plan: Plan;
}

/** Customers by their API key. */
const CUSTOMERS: ReadonlyMap<string, Customer> = new Map([
  ['demo-free-key', { id: 'acme', plan: 'free' }],
  ['demo-pro-key', { id: 'globex', plan: 'pro' }],
]);

export function customerOf(req: Request): Customer | undefined {
  return CUSTOMERS.get(req.get('x-api-key') ?? '');
}
