/** A panel as it stands in the file of a dashboard. */
export interface FilePanel {
  readonly type: 'row' | 'timeseries' | 'stat' | 'table';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat?: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string;
      readonly thresholds: { readonly steps: readonly { readonly value: number | null }[] };
      readonly custom?: { readonly stacking: { readonly mode: string } };
    };
  };
  readonly transformations?: readonly [
    unknown,
    { readonly options: { readonly renameByName: Readonly<Record<string, string>> } },
  ];
}

/** One point of a line. */
export interface Point {
  readonly atMs: number;
  readonly series: string;
  readonly value: number;
}

/** One series of a moment. */
export interface Sample {
  readonly target: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A panel, and what a Prometheus answered to its queries. */
export interface FilledPanel {
  readonly panel: FilePanel;
  readonly points: readonly Point[];
  readonly samples: readonly Sample[];
}

/** The time that a dashboard shows. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value?: [number, string];
      readonly values?: readonly [number, string][];
    }[];
  };
}

/** What Grafana would put in place of its variables. */
const VARIABLES = { $__rate_interval: '15s', $policy: '.*', $limit: '.*' } as const;

/** Asks a Prometheus all queries of a dashboard, as Grafana does. */
export function fill(panels: readonly FilePanel[], prometheusUrl: string, span: Span): Promise<FilledPanel[]> {
  return Promise.all(
    panels.map(async (panel) => {
      const targets = panel.targets ?? [];
      const found = await Promise.all(targets.map((target, i) => answerOf(panel, target, i, prometheusUrl, span)));
      return { panel, points: found.flatMap(({ points }) => points), samples: found.flatMap(({ samples }) => samples) };
    }),
  );
}

async function answerOf(
  { type }: FilePanel,
  { expr, legendFormat = '' }: { readonly expr: string; readonly legendFormat?: string },
  target: number,
  url: string,
  { startMs, endMs }: Span,
): Promise<{ points: Point[]; samples: Sample[] }> {
  const query = Object.entries(VARIABLES).reduce((text, [name, value]) => text.replaceAll(name, value), expr);
  const isOverTime = type === 'timeseries';
  const range = { start: `${startMs / 1000}`, end: `${endMs / 1000}`, step: '2' };
  const body = new URLSearchParams({ query, ...(isOverTime ? range : { time: `${endMs / 1000}` }) });
  const response = await fetch(`${url}/api/v1/${isOverTime ? 'query_range' : 'query'}`, { method: 'POST', body });
  const { data } = (await response.json()) as Answer;
  const points = data.result.flatMap(({ metric, values = [] }) => {
    const series = legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '');
    return values.map(([atS, value]) => ({ atMs: atS * 1000, series, value: Number(value) }));
  });
  const samples = data.result.flatMap(({ metric, value }) =>
    value ? [{ target, labels: metric, value: Number(value[1]) }] : [],
  );
  return { points: points.filter(({ value }) => Number.isFinite(value)), samples };
}
