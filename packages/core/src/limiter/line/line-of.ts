import { keyspacesOf } from '../../stores/keyspace.js';
import { SluiceError } from '../../values/error.js';
import type { Engine } from '../engine.js';
import type { Args } from '../policy/options.js';
import type { GrantedReservation } from '../reservation.js';
import { type LineRules, WaitingLine } from './waiting-line.js';

/** Makes a line before the limits of a policy. It is closed when the store is. */
export function lineOf<A extends Args, R extends GrantedReservation>(
  engine: Engine<A, R>,
  rules: LineRules,
): WaitingLine<A, R> {
  const line = new WaitingLine(engine, rules);
  const close = (): void => line.close(new SluiceError('SLUICE_CLOSED', 'the store was closed'));
  for (const keyspace of keyspacesOf(engine.store)) keyspace.whenClosed(close);
  return line;
}
