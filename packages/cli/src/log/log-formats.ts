import { jsonFormat } from './json-format.js';
import type { LineFormat } from './line-format.js';
import { nginxFormat } from './nginx-format.js';
import { LogFormatError } from './template.js';

/** Apache writes the name by identd where nginx writes `-`. */
const COMMON = '$remote_addr $remote_logname $remote_user [$time_local] "$request" $status $body_bytes_sent';
const COMBINED = `${COMMON} "$http_referer" "$http_user_agent"`;

const NAMED: Readonly<Record<string, LineFormat>> = {
  json: jsonFormat,
  // Before `combined`, which takes its lines for requests of a user.
  vhost_combined: { ...nginxFormat(`$host ${COMBINED}`, 'vhost_combined'), statesStart: true },
  combined: nginxFormat(COMBINED, 'combined'),
  // Apache writes when a request came, at the time when it ended.
  apache: { ...nginxFormat(COMBINED, 'apache'), statesStart: true },
  common: { ...nginxFormat(COMMON, 'common'), statesStart: true },
};

/**
 * Returns the format of a name, or of an nginx `log_format`.
 *
 * @throws LogFormatError if it is neither
 */
export function logFormat(text: string): LineFormat {
  if (Object.hasOwn(NAMED, text)) return NAMED[text] as LineFormat;
  if (text.includes('$')) return nginxFormat(text);
  const names = Object.keys(NAMED).join(', ');
  throw new LogFormatError(
    `${JSON.stringify(text)} is no log format: use ${names}, or the log_format of your nginx.conf`,
  );
}

/** Finds the format of lines among those with a name; undefined if most of the lines have none of them. */
export function detectFormat(lines: readonly string[]): LineFormat | undefined {
  const counts = Object.values(NAMED).map((format) => {
    const read = format.reader({ headers: [], values: [] });
    return { format, hits: lines.filter((line) => read(line) !== undefined).length };
  });
  const best = counts.reduce((most, next) => (next.hits > most.hits ? next : most));
  return best.hits > 0 ? best.format : undefined;
}
