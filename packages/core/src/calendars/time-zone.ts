import { IANAZone } from 'luxon';

/**
 * A UTC offset in the forms that people write. Some versions of Intl accept a few of these forms, other versions accept
 * none.
 */
const OFFSET = /^(?:UTC?|GMT)?\s*[+\-\u2212]\s*\d/i;
const WHOLE_HOURS = /^\D*([+\-\u2212])\s*(\d{1,2})(?::?00){0,2}$/;

/** These names look like offsets, but they are in the IANA database. */
const NAMED_OFFSET = /^GMT[+-]0$/i;

/**
 * Returns the rule that a value breaks as the name of an IANA time zone, or undefined if it is one. It refuses an offset
 * like '+02' on every version of Node, whatever Intl accepts there.
 */
export function brokenZoneRule(value: unknown): string | undefined {
  const isOffset = typeof value === 'string' && OFFSET.test(value) && !NAMED_OFFSET.test(value);
  if (isOffset) return `must be an IANA time zone name, not an offset: use ${insteadOf(value)}`;
  if (typeof value === 'string' && isZone(value)) return undefined;
  return "must be an IANA time zone name like 'Europe/Berlin'";
}

/** Names that are known to be valid: a function may return a limit from JSON for each request, and `Intl` takes long to answer. */
const zones = new Set<string>();

function isZone(name: string): boolean {
  if (zones.has(name)) return true;
  const isValid = IANAZone.isValidZone(name);
  if (isValid) zones.add(name);
  return isValid;
}

/**
 * Suggests a name instead of an offset. The IANA zones of whole hours have the sign of POSIX: `Etc/GMT-2` is ahead of
 * UTC.
 */
function insteadOf(offset: string): string {
  const region = "a region like 'Europe/Berlin', which follows its clock changes";
  const [, sign, digits] = WHOLE_HOURS.exec(offset) ?? [];
  if (digits === undefined) return region;
  const hours = Number(digits);
  if (hours === 0) return `${region}, or 'UTC'`;
  const isAhead = sign === '+';
  if (hours > (isAhead ? 14 : 12)) return region;
  const side = isAhead ? 'ahead of' : 'behind';
  return `${region}, or 'Etc/GMT${isAhead ? '-' : '+'}${hours}', which is always ${hours} h ${side} UTC (its sign is reversed)`;
}
