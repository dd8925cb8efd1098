import { optionError } from '@sluice/core/values';

const DATE = '{date}';

/** A date as providers write it in names of snapshots: `2026-03-01` or `20260301`. */
const SNAPSHOT_DATE =
  /(?:20\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))$/;

/**
 * Returns a function from the name that a call writes to the name that is listed, or undefined.
 *
 * @throws SluiceError `SLUICE_OPTION` if an alias does not name a listed model, is one, or has a date elsewhere than at its end
 */
export function aliasesOf(
  aliases: Readonly<Record<string, string>> = {},
  listed: ReadonlyMap<string, unknown>,
): (name: string) => string | undefined {
  if (typeof aliases !== 'object' || aliases === null || Array.isArray(aliases)) {
    throw optionError('aliases', 'must be an object of listed models by their other names', aliases);
  }
  const exact = new Map<string, string>();
  const dated = new Map<string, string>();
  for (const [alias, model] of Object.entries(aliases)) {
    const path = `aliases["${alias}"]`;
    if (typeof model !== 'string' || !listed.has(model)) throw optionError(path, 'must be a listed model', model);
    if (listed.has(alias)) throw optionError(path, 'must not be a listed model itself', model);
    const name = alias.endsWith(DATE) ? alias.slice(0, -DATE.length) : undefined;
    if ((name ?? alias).includes(DATE)) throw optionError(path, `must have ${DATE} at its end alone`, model);
    if (name === undefined) exact.set(alias, model);
    else dated.set(name, model);
  }
  return (name) => {
    const undated = withoutDate(name);
    return exact.get(name) ?? (undated === undefined ? undefined : dated.get(undated));
  };
}

/** Returns the name up to its date; undefined if it does not end in one. */
function withoutDate(name: string): string | undefined {
  const date = SNAPSHOT_DATE.exec(name.slice(-10));
  return date ? name.slice(0, -date[0].length) : undefined;
}
