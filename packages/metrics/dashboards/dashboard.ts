import type { Panel, Row, Target } from './panel.js';
import { ROWS, SERVICE_ROWS } from './rows.js';
import { type Spelling, spell } from './spelling.js';

const COLUMNS = 24;
const HEADING_HEIGHT = 1;
const HEIGHTS = { graph: 8, number: 4, table: 8 } as const satisfies Record<Panel['kind'], number>;

/** The reader chooses it at the top of the dashboard. */
const DATA_SOURCE = { type: 'prometheus', uid: `\${datasource}` };

/** What differs between the dashboards. */
interface Edition {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly spelling: Spelling;
  readonly rows: readonly Row[];
}

const EDITIONS = {
  'sluice.json': {
    uid: 'sluice',
    title: 'Sluice',
    description: 'What rate limits do. For the metrics of prometheusMetrics.',
    spelling: 'prometheus',
    rows: ROWS,
  },
  'sluice-otel.json': {
    uid: 'sluice-otel',
    title: 'Sluice (OpenTelemetry)',
    description:
      "What rate limits do. For the metrics of openTelemetryMetrics, read through OpenTelemetry's exporter for Prometheus in Node.js.",
    spelling: 'otel',
    rows: ROWS,
  },
  'sluice-server.json': {
    uid: 'sluice-server',
    title: 'Sluice (decision service)',
    description:
      'What the decision service does, and its limits. For the metrics of @sluice/server, whose job is called sluice.',
    spelling: 'prometheus',
    rows: SERVICE_ROWS,
  },
} as const satisfies Record<string, Edition>;

/** The name of a file with a dashboard. */
export type DashboardFile = keyof typeof EDITIONS;

/** The text of each file of a dashboard. */
export function dashboardFiles(): ReadonlyMap<DashboardFile, string> {
  const files = Object.entries(EDITIONS) as [DashboardFile, Edition][];
  return new Map(files.map(([file, edition]) => [file, `${JSON.stringify(dashboard(edition), undefined, 2)}\n`]));
}

/** In the model of Grafana: https://grafana.com/docs/grafana/latest/dashboards/build-dashboards/view-dashboard-json-model/ */
function dashboard({ uid, title, description, spelling, rows }: Edition) {
  return {
    uid,
    title,
    description,
    tags: ['sluice', 'rate limiting'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-1h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [],
    templating: { list: variables(spelling) },
    panels: placed(rows, spelling),
  };
}

function variables(spelling: Spelling) {
  const ofLabel = (name: string, label: string, expr: string) => ({
    name: label.toLowerCase(),
    label,
    type: 'query',
    datasource: DATA_SOURCE,
    definition: `label_values(${spell(expr, spelling)}, ${spell(name, spelling)})`,
    query: { query: `label_values(${spell(expr, spelling)}, ${spell(name, spelling)})`, refId: label },
    refresh: 2,
    sort: 1,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
  });
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1, current: {} },
    ofLabel('policy', 'Policy', 'sluice_decisions_total'),
    ofLabel('limit', 'Limit', 'sluice_limit_checks_total{policy=~"$policy"}'),
  ];
}

/** Puts the panels of each row side by side, and begins a new line where the next one has no room. */
function placed(rows: readonly Row[], spelling: Spelling): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: own } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: at(0, y, COLUMNS, 1),
    });
    y += HEADING_HEIGHT;
    let x = 0;
    let lineHeight = 0;
    for (const panel of own) {
      if (x + panel.width > COLUMNS) {
        y += lineHeight;
        x = 0;
        lineHeight = 0;
      }
      const height = HEIGHTS[panel.kind];
      panels.push({ id: panels.length + 1, ...drawn(panel, spelling), gridPos: at(x, y, panel.width, height) });
      x += panel.width;
      lineHeight = Math.max(lineHeight, height);
    }
    y += lineHeight;
  }
  return panels;
}

const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

function drawn(panel: Panel, spelling: Spelling) {
  const { title, description, kind, unit, targets, warnsAt, stacked = false } = panel;
  const steps = [
    { color: 'green', value: null },
    ...(warnsAt === undefined ? [] : [{ color: 'orange', value: warnsAt }]),
  ];
  return {
    type: TYPES[kind],
    title,
    description,
    datasource: DATA_SOURCE,
    fieldConfig: {
      defaults: { unit, thresholds: { mode: 'absolute', steps }, ...custom(kind, stacked, warnsAt) },
      overrides: [],
    },
    options: OPTIONS[kind],
    ...(kind === 'table' && { transformations: columnsOf(targets) }),
    targets: targets.map((one, index) => ({
      refId: refIdOf(index),
      datasource: DATA_SOURCE,
      editorMode: 'code',
      expr: spell(one.expr, spelling),
      ...(kind === 'graph' ? { legendFormat: spell(one.legend, spelling), range: true } : INSTANT[kind](one)),
    })),
  };
}

const refIdOf = (index: number): string => String.fromCharCode('A'.charCodeAt(0) + index);

const TYPES = { graph: 'timeseries', number: 'stat', table: 'table' } as const;

const INSTANT = {
  number: ({ legend }: Target) => ({ legendFormat: legend, range: true }),
  table: () => ({ format: 'table', instant: true, range: false }),
} as const;

const OPTIONS = {
  graph: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  number: {
    colorMode: 'value',
    graphMode: 'area',
    justifyMode: 'auto',
    orientation: 'auto',
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
    textMode: 'value',
  },
  table: { cellHeight: 'sm', showHeader: true },
} as const;

function custom(kind: Panel['kind'], stacked: boolean, warnsAt: number | undefined) {
  if (kind !== 'graph') return {};
  return {
    custom: {
      drawStyle: 'line',
      fillOpacity: stacked ? 25 : 5,
      lineWidth: 1,
      showPoints: 'never',
      stacking: { group: 'A', mode: stacked ? 'normal' : 'none' },
      thresholdsStyle: { mode: warnsAt === undefined ? 'off' : 'dashed' },
    },
  };
}

/** One row for each series, and a column for each target under its name. */
function columnsOf(targets: readonly Target[]) {
  const names = targets.map(({ legend }, index) => [
    targets.length === 1 ? 'Value' : `Value #${refIdOf(index)}`,
    legend,
  ]);
  return [
    { id: 'merge', options: {} },
    { id: 'organize', options: { excludeByName: { Time: true }, renameByName: Object.fromEntries(names) } },
  ];
}
