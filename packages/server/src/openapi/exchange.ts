/** An example: a request, and what it is answered with. A test sends each of them. */
export interface Exchange {
  readonly summary: string;
  readonly request: unknown;
  readonly status: number;
  readonly response: unknown;
}

/** The policy file of the examples. */
export const EXAMPLE_POLICIES = `version: 1
policies:
  api: { limits: [{ name: minute, limit: 100, window: 1m }] }
  login: { limits: [{ name: attempts, limit: 5, window: 15m }] }
`;

/** Where the client of the examples is. */
export const EXAMPLE_ADDRESS = '203.0.113.7';

/** Stands for tokens, which are different each time. */
export const EXAMPLE_TOKEN = '1.4fT0cUZl.WJtZ4wPuXZ3mbnTz0VtQ9JYwXm1d9w.xY0rpFxQd2J8uQmCkXW0o9bA3sGq7tUvZ1nHjLkMeRw';

/** The revision of that file. */
export const EXAMPLE_REVISION = '5b5255cca7bc';
