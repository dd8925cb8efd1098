import type { Swap } from '@sluice/core/store';

/** A statement of SQL, and the values of its question marks. */
export type Statement = readonly [text: string, values: (string | number)[]];

/** Keys, versions and values are ASCII. They are compared byte by byte. */
export const CREATE_TABLE = `
CREATE TABLE IF NOT EXISTS sluice (
  entry_key VARCHAR(250) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  version VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  value MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  ends_ms BIGINT NOT NULL,
  INDEX (ends_ms)
) ENGINE = InnoDB`;

/**
 * What each connection of the store needs. Rows that are absent are not locked, so that two instances do not wait for each other
 * over different keys. A lock that somebody keeps is waited for at most a second, the least there is. `SYSDATE` is a local time, and where
 * summer time ends, one hour of local time is there twice. The client writes values into the text with backslashes, which a mode of the server may
 * take for themselves: then a quote in a reason would end its text.
 */
export const SETTINGS = [
  "SET SESSION time_zone = '+00:00'",
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES'",
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SESSION innodb_lock_wait_timeout = 1',
];

/** The time of the server in milliseconds, when the row is at hand and not when its statement began. */
const NOW_MS = 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)';

/** One row for each key that is there, and one without a key if there is none: each says the time. */
export function readStatement(keys: readonly string[]): Statement {
  const list = keys.length === 0 ? 'NULL' : keys.map(() => '?').join(', ');
  return [
    `SELECT ${NOW_MS} AS at_ms, entry_key, version, value, ends_ms
     FROM (SELECT 1) AS one LEFT JOIN sluice ON entry_key IN (${list})`,
    [...keys],
  ];
}

/** All changes or none, in one round trip. The last look at the clock comes right before the commit. */
export function swapStatement(swaps: readonly Swap[], notAfterMs: number): Statement {
  // All instances lock rows in the same order, and no two of them wait for each other.
  const changes = swaps.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(changeStatement);
  return [
    `BEGIN NOT ATOMIC
       DECLARE made INT DEFAULT 0;
       DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN ROLLBACK; RESIGNAL; END;
       START TRANSACTION;
       ${changes.map(([text]) => `${text}; SET made = made + ROW_COUNT();`).join('\n')}
       IF made = ${changes.length} AND ${NOW_MS} <= ? THEN COMMIT; ELSE ROLLBACK; SET made = 0; END IF;
       SELECT made > 0 AS is_made;
     END`,
    [...changes.flatMap(([, values]) => values), notAfterMs],
  ];
}

/** Changes one row if it is as it was read. A row that was absent and is there is an error, `ER_DUP_ENTRY`. */
function changeStatement({ key, was, next }: Swap): Statement {
  if (!next) return ['DELETE FROM sluice WHERE entry_key = ? AND version = ?', [key, was ?? '']];
  const { version, value, forMs } = next;
  return was === undefined
    ? [`INSERT INTO sluice VALUES (?, ?, ?, ${NOW_MS} + ?)`, [key, version, value, forMs]]
    : [
        `UPDATE sluice SET version = ?, value = ?, ends_ms = ${NOW_MS} + ? WHERE entry_key = ? AND version = ?`,
        [version, value, forMs, key, was],
      ];
}

export function deleteStatement(keys: readonly string[]): Statement {
  return [`DELETE FROM sluice WHERE entry_key IN (${keys.map(() => '?').join(', ')})`, [...keys]];
}

export function deleteExpiredStatement(most: number): Statement {
  return [`DELETE FROM sluice WHERE ends_ms < ${NOW_MS} ORDER BY ends_ms LIMIT ?`, [most]];
}
