import { createShedder, type Priority, type Shedder } from '@sluice/core/load';

/** What protects a server from too many requests. */
export const PROTECTIONS = ['none', '@fastify/under-pressure', 'toobusy-js', 'shedLoad'] as const;
export type Protection = (typeof PROTECTIONS)[number];

/**
 * Servers that refuse everybody, to measure what a refusal costs: as users of the framework write it, and as shedLoad does it while
 * there is no place in flight.
 */
export const REFUSERS = ['own 503', "shedLoad's 503"] as const;
export type Refuser = (typeof REFUSERS)[number];

/** What stands in front of a measured server. */
export type Front = Protection | Refuser;

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

/** A shedder without a place: it reads the event loop for each request as any other does, and refuses it. */
function fullShedder(): Shedder {
  const shedder = createShedder({ inFlight: { initial: 1, max: 1 } });
  shedder.exempt();
  return shedder;
}

export const isShedding = (front: Front): boolean => front === 'shedLoad' || front === "shedLoad's 503";

/** The options of the fronts that shed load. */
export const sheddingOf = (front: Front) => ({
  priority: priorityOf,
  ...(front === "shedLoad's 503" && { shedder: fullShedder() }),
});
