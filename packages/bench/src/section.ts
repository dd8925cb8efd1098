import type { Scale } from './scale.js';
import type { Table } from './table.js';

/** One measure, of every contender that has what it asks for. */
export interface Section {
  readonly title: string;
  /** A table as soon as it is measured. */
  run(scale: Scale): AsyncIterable<Table>;
}
