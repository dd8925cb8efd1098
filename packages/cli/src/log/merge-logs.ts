import type { LogCursor } from './log-cursor.js';
import type { LoggedRequest } from './logged-request.js';

/**
 * Visits the requests of several logs in the order in which their lines were written. Each log alone is in that order, or
 * nearly. Each cursor has to stand at its first request.
 *
 * @param pause - called while a log is read on
 */
export async function mergeLogs(
  cursors: readonly LogCursor[],
  visit: (request: LoggedRequest) => void,
  pause: () => void = () => {},
): Promise<void> {
  let open = cursors.filter(({ current }) => current);
  while (open.length > 0) {
    const [first, second] = earliestTwo(open);
    const untilMs = second?.current?.writtenMs ?? Number.POSITIVE_INFINITY;
    while (first.current && first.current.writtenMs <= untilMs) {
      visit(first.current);
      if (first.step()) continue;
      await first.advance();
      pause();
    }
    if (!first.current) open = open.filter((cursor) => cursor !== first);
  }
}

function earliestTwo(cursors: readonly LogCursor[]): [first: LogCursor, second: LogCursor | undefined] {
  let first = cursors[0] as LogCursor;
  let second: LogCursor | undefined;
  for (const cursor of cursors.slice(1)) {
    if (writtenMs(cursor) < writtenMs(first)) [first, second] = [cursor, first];
    else if (!second || writtenMs(cursor) < writtenMs(second)) second = cursor;
  }
  return [first, second];
}

function writtenMs({ current }: LogCursor): number {
  return current?.writtenMs ?? Number.POSITIVE_INFINITY;
}
