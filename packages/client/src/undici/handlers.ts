import type { Dispatcher } from 'undici';

/** The controller of a dispatch, since undici 7. */
export type Controller = Dispatcher.DispatchController;

/**
 * The handler of a dispatch. Those with `onRequestStart` are of the new kind: they have a controller. Those of the old kind
 * come from undici 6, from the `fetch` of Node.js 20, and from code that was written for them.
 */
export interface Handler extends Dispatcher.DispatchHandler {
  onConnect?(abort: (reason?: Error) => void, context?: unknown): void;
  onRequestSent?(): void;
}

/** Header fields as handlers of the old kind get them: names and values by turns. */
type RawHeaders = readonly (Buffer | string | readonly (Buffer | string)[])[];

/** Returns pairs of names and values. */
export function pairsOf(raw: RawHeaders | null): (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  for (let i = 0; raw && i + 1 < raw.length; i += 2) {
    const name = textOf(raw[i]);
    for (const value of [raw[i + 1]].flat()) pairs.push([name, textOf(value)]);
  }
  return pairs;
}

function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}
