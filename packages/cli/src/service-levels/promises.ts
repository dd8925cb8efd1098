import type { ServiceLevel, ServiceLevels } from './service-levels.js';

/** The largest shares that are promised. */
type Promises = { readonly [Share in SharePart]?: number | undefined };

type SharePart = 'limited' | 'failedOpen' | 'failedClosed';

/** A policy that has not kept a promise. */
export interface BrokenPromise {
  readonly job: string;
  readonly policy: string;
  readonly part: SharePart;
  readonly share: number;
  readonly most: number;
}

/** Returns the promises that were not kept in a month. */
export function brokenPromises({ policies }: ServiceLevels, promises: Promises): readonly BrokenPromise[] {
  return policies.flatMap((level) =>
    (['limited', 'failedOpen', 'failedClosed'] as const).flatMap((part) => brokenPart(level, part, promises)),
  );
}

function brokenPart(level: ServiceLevel, part: SharePart, { [part]: most }: Promises): readonly BrokenPromise[] {
  const { job, policy, [part]: share } = level;
  return most !== undefined && share > most ? [{ job, policy, part, share, most }] : [];
}
