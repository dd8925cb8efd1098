import type { Priority } from '@sluice/core/load';

/** What protects a server from too many requests. */
export const PROTECTIONS = ['none', '@fastify/under-pressure', 'toobusy-js', 'shedLoad'] as const;
export type Protection = (typeof PROTECTIONS)[number];

/** The field in which a request says how important it is. */
export const PRIORITY_FIELD = 'x-priority';

export const PRIORITIES: readonly Priority[] = ['critical', 'normal', 'low'];

interface Message {
  readonly headers: Readonly<Record<string, unknown>>;
}

export const priorityOf = ({ headers }: Message): Priority | undefined =>
  PRIORITIES.find((priority) => priority === headers[PRIORITY_FIELD]);

/** What the servers answer. */
export const ANSWER = { result: 'done' };

/** What a server answers that is too busy by the judgement of toobusy-js, which leaves the answer to its user. */
export const BUSY = { status: 503, body: 'The server is too busy' };

/** The servers answer to no one's idleness. A connection that they close while a request is under way would count as a failure. */
export const KEEP_ALIVE_MS = 120_000;
