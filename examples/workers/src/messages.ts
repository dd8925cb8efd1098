/** A message that the upstream delivers. */
export interface Message {
  readonly to: string;
  readonly text: string;
}

/** The name of the queue between the web process and the workers. */
export const QUEUE = 'messages';

/** Reads a message from a request body; undefined if it is none. */
export function messageOf(body: string): Message | undefined {
  try {
    const { to, text } = JSON.parse(body) as Partial<Message>;
    return typeof to === 'string' && typeof text === 'string' ? { to, text } : undefined;
  } catch {
    return undefined;
  }
}
