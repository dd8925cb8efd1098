import type { PlanName } from './plans.js';

export interface Customer {
  readonly id: string;
  readonly plan: PlanName;
}

/** Customers by their API key. A real gateway looks them up in its database. */
const CUSTOMERS: ReadonlyMap<string, Customer> = new Map([
  ['free-key', { id: 'acme', plan: 'free' }],
  ['basic-key', { id: 'globex', plan: 'basic' }],
  ['premium-key', { id: 'initech', plan: 'premium' }],
  ['enterprise-key', { id: 'umbrella', plan: 'enterprise' }],
]);

/** Returns the customer of a request: OpenAI's clients send `Authorization`, Anthropic's `x-api-key`. */
export function customerOf(headers: Readonly<Record<string, unknown>>): Customer | undefined {
  const { authorization = '', 'x-api-key': apiKey } = headers;
  const bearer = /^Bearer (.+)$/i.exec(String(authorization))?.[1];
  return CUSTOMERS.get(bearer ?? String(apiKey));
}
