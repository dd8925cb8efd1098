import { keyspacesOf } from '../../stores/keyspace.js';
import { SluiceError } from '../../values/error.js';
import type { Engine } from '../engine.js';
import type { Args } from '../policy/options.js';
import type { GrantedReservation } from '../reservation.js';
import { type LineRules, WaitingLine } from './waiting-line.js';

/** Makes a line before the limits of a policy. When the store is closed, all waits end; it refuses later asks itself. */
export function lineOf<A extends Args, R extends GrantedReservation>(
  engine: Engine<A, R>,
  rules: LineRules,
): WaitingLine<A, R> {
  const line = new WaitingLine(engine, rules);
  engine.onReplaced(() => line.policyReplaced());
  const end = (): void => line.endAll(new SluiceError('SLUICE_CLOSED', 'the store was closed'));
  for (const keyspace of keyspacesOf(engine.store)) keyspace.whenClosed(end);
  return line;
}
