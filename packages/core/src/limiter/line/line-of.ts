// Why it is so: cloudflare/docs/requests-of-a-worker.md

import { keyspacesOf } from '../../stores/keyspace.js';
import type { Store } from '../../stores/store.js';
import { SluiceError } from '../../values/error.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { IS_REQUEST_BOUND } from '../../values/request-bound.js';
import { WeakList } from '../../values/weak-list.js';
import type { Args } from '../policy/options.js';
import type { ReplaceableEngine } from '../replaceable-engine.js';
import type { GrantedReservation } from '../reservation.js';
import { type LineRules, WaitingLine } from './waiting-line.js';

type Ending = Pick<WaitingLine<never, GrantedReservation>, 'endAll'>;

/** By store, the lines that end with it. A line in which nobody waits is kept only by those who use it. */
const lines = new WeakMap<Store, WeakList<Ending>>();

/** Makes a line before the limits of a policy. When the store is closed, all waits end; it refuses later requests itself. */
export function lineOf<A extends Args, R extends GrantedReservation>(
  engine: ReplaceableEngine<A, R>,
  rules: LineRules,
): WaitingLine<A, R> {
  const line = new WaitingLine(engine, rules);
  engine.onReplaced(() => line.policyReplaced());
  getOrCreate(lines, engine.store, () => endingWith(engine.store)).add(line);
  return line;
}

/**
 * Returns what gives each request the line in which it waits. It is one line for all of them. Where requests cannot wake one another, each has
 * its own, as if it were a process.
 */
export function linesOf<A extends Args, R extends GrantedReservation>(
  engine: ReplaceableEngine<A, R>,
  rules: LineRules,
): () => WaitingLine<A, R> {
  if (IS_REQUEST_BOUND) return () => new WaitingLine(engine, rules);
  const line = lineOf(engine, rules);
  return () => line;
}

/** Returns a list of lines whose waits end when the store is closed. */
function endingWith(store: Store): WeakList<Ending> {
  const ending = new WeakList<Ending>();
  const end = (): void => {
    for (const line of ending) line.endAll(new SluiceError('SLUICE_CLOSED', 'the store was closed'));
  };
  for (const keyspace of keyspacesOf(store)) keyspace.whenClosed(end);
  return ending;
}
