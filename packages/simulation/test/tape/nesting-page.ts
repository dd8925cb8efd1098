import {
  BASE_KINDS,
  type Behind,
  FEATURE_NAMES,
  FEATURES,
  type Feature,
  FRONT_KINDS,
  NESTING,
  type Refusal,
  type Stage,
  type StoreKind,
} from '../../src/tape/nesting.js';

/** The stores as the page names them. */
const NAMES: Readonly<Record<Behind, string>> = {
  memory: '`MemoryStore`',
  redis: '`RedisStore`',
  cluster: '`RedisStore` on a cluster',
  postgres: '`PostgresStore`',
  table: '`compareAndSwapStore`',
  sharded: '`ShardedStore`',
  'sharded-inexact': '`ShardedStore` of leased or synced stores',
  leased: '`LeasedStore`',
  synced: '`SyncedStore`',
};

const KINDS: readonly StoreKind[] = [...BASE_KINDS, ...FRONT_KINDS];

/** The table of what may stand in front of what. */
export function nestingTable(): string {
  const behind = Object.keys(NAMES) as readonly Behind[];
  const rows = behind.map((kind) => [
    NAMES[kind],
    ...FRONT_KINDS.map((front) => {
      const cell = NESTING[front][kind];
      return cell === 'allowed' ? 'yes' : `no: ${cell.because}`;
    }),
  ]);
  return markdown(['Behind it', ...FRONT_KINDS.map((front) => NAMES[front])], rows);
}

/** The table of what each store can count. */
export function featureTable(): string {
  const rows = FEATURE_NAMES.map((name) => {
    const feature: Feature = FEATURES[name];
    return [feature.words, ...KINDS.map((kind) => cellOf(feature, kind))];
  });
  return markdown(['', ...KINDS.map((kind) => NAMES[kind])], rows);
}

const WHEN: Readonly<Record<Stage, string>> = {
  store: 'when the store is made',
  policy: 'when the policy is made or replaced',
  request: 'with the request or call',
};

/** The table of what is refused: by whom, when, with which error, and why. */
export function refusalTable(): string {
  const rows = FEATURE_NAMES.flatMap((name) => {
    const { words, refusedBy = {} }: Feature = FEATURES[name];
    const refusals = new Set(Object.values(refusedBy));
    return [...refusals].map((refusal) => {
      const by = KINDS.filter((kind) => refusedBy[kind] === refusal).map((kind) => NAMES[kind]);
      return [words, by.join(', '), WHEN[refusal.refusedAt], `\`${refusal.code}\``, refusal.because];
    });
  });
  return markdown(['What', 'Refused by', 'When', 'Error', 'Why'], rows);
}

function cellOf({ refusedBy = {}, isPassedOn }: Feature, kind: StoreKind): string {
  const refusal: Refusal | undefined = refusedBy[kind];
  if (refusal) return `no: ${refusal.refusedAt}`;
  return isPassedOn && (kind === 'leased' || kind === 'synced') ? 'asks' : 'yes';
}

/** Returns a table with columns of equal width. */
function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
