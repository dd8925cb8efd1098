/** One line of a panel, or several of the same kind. */
export interface Target {
  /** PromQL, in the spelling of the catalogue. */
  readonly expr: string;
  /** The name of each line: `{{policy}}`, or a text. */
  readonly legend: string;
}

/** One panel, without its place. */
export interface Panel {
  readonly title: string;
  /** Says how to read the panel, and when to worry. */
  readonly description: string;
  /** `graph` over time, `number` for now, `table` for now with a row for each series. */
  readonly kind: 'graph' | 'number' | 'table';
  /** A unit of Grafana. */
  readonly unit: string;
  readonly targets: readonly [Target, ...Target[]];
  /** Columns of the 24 that a dashboard has. */
  readonly width: number;
  readonly stacked?: boolean;
  /** From this value on, the panel warns. */
  readonly warnsAt?: number;
}

/** Panels under one heading. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}
