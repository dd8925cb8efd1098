import type { Check, Limit } from '@sluice/core';

const texts = new WeakMap<Limit, string>();

/** A limit as the scripts read it: its own JSON, and of a calendar's limit the edges that the check has. */
export function limitText({ limit, edgesMs }: Check): string {
  let text = texts.get(limit);
  if (text === undefined) {
    text = textOf(limit);
    texts.set(limit, text);
  }
  return edgesMs ? `${text.slice(0, -1)},"edgesMs":[${edgesMs.join()}]}` : text;
}

/** Every call carries it, so the rate has short names, and the fields that no script reads are left out. */
function textOf({ name, calendar, capacity, refillUnits, refillPeriodMs, ...read }: Limit): string {
  return JSON.stringify({ ...read, n: refillUnits, m: refillPeriodMs });
}
