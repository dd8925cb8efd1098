import { type LlmPlan, priceTable, usd } from '@sluice/llm';

/** What each plan may use. `parallel` decides how many calls run; those beyond wait in line. */
export const PLANS = {
  free: { name: 'free', rpm: 30, parallel: 2, perDay: usd('0.01') },
  pro: { name: 'pro', rpm: 600, parallel: 4, perDay: usd('5') },
} as const satisfies Record<string, LlmPlan>;

/** What an organisation may spend, whoever of it calls. */
export const ORGANISATION: LlmPlan = { perMonth: usd('20') };

/** Dollars for a million tokens. The model is made up, like the providers. */
export const PRICES = priceTable({ small: { input: '0.50', output: '2', maxOutput: 100_000 } });

export interface Customer {
  readonly id: string;
  readonly organisation: string;
  readonly plan: keyof typeof PLANS;
}

/** By API key. A real platform looks them up in its database. */
const CUSTOMERS: ReadonlyMap<string, Customer> = new Map([
  ['ann-key', { id: 'ann', organisation: 'acme', plan: 'pro' }],
  ['bob-key', { id: 'bob', organisation: 'acme', plan: 'free' }],
]);

/** The key of the workers, who call for customers. It never leaves the platform. */
export const WORKER_KEY = 'the-key-of-the-workers';

/** Returns the customer of a request: by the API key, or by the name that a worker gives. */
export function customerOf(headers: Readonly<Record<string, unknown>>): Customer | undefined {
  const key = /^Bearer (.+)$/i.exec(String(headers.authorization))?.[1] ?? '';
  if (key !== WORKER_KEY) return CUSTOMERS.get(key);
  return [...CUSTOMERS.values()].find(({ id }) => id === headers['x-customer']);
}
