import type { Check, Limit } from '@sluice/core';

const texts = new WeakMap<Limit, string>();

/** A limit as the scripts read it: its own JSON, and of a calendar's limit the edges that were asked with. */
export function limitText({ limit, edgesMs }: Check): string {
  let text = texts.get(limit);
  if (text === undefined) {
    // What no script reads is left out.
    text = JSON.stringify({ ...limit, name: undefined, calendar: undefined, capacity: undefined });
    texts.set(limit, text);
  }
  return edgesMs ? `${text.slice(0, -1)},"edgesMs":[${edgesMs.join()}]}` : text;
}
