/** A question that nobody waits for: a worker asks it when there is room. */
export interface Task {
  readonly customer: string;
  readonly prompt: string;
}

/** The name of the queue between the gateway and the workers. */
export const QUEUE = 'tasks';

/** The body of a call of the model. */
export const callOf = (prompt: string): object => ({
  model: 'small',
  max_tokens: 100,
  messages: [{ role: 'user', content: prompt }],
});
