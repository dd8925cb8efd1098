import type { Conversion, ConvertedPolicy, LimitSpec, Note } from '../conversion.js';
import { isLimit } from '../is-limit.js';
import { EVERYONE } from '../named-key.js';
import { Names } from '../names.js';
import type { YamlValue } from '../yaml-value.js';
import { durationText } from './duration-text.js';

/** Deeper documents than any configuration of Envoy. */
const DEEPEST = 40;

/** Returns every local rate limit in a configuration of Envoy: the maps with a token bucket. */
export function filtersOf(value: YamlValue, depth = 0): YamlValue[] {
  if (depth > DEEPEST) return [];
  const own = value.get('token_bucket').get('max_tokens').exists ? [value] : [];
  const inner = [...value.items, ...value.entries.map(([, child]) => child)];
  return [...own, ...inner.flatMap((child) => filtersOf(child, depth + 1))];
}

/** Converts the local rate limit filters of Envoy. */
export function convertFilters(filters: readonly YamlValue[]): Conversion {
  const names = new Names();
  const notes: Note[] = [
    {
      kind: 'differs',
      text: 'the filter has one bucket in each Envoy; over Redis, a policy has one for all instances',
    },
    { kind: 'left out', text: 'the routes of the filter: put each policy on them by its name' },
  ];
  const policies = filters.flatMap((filter) => policyOf(filter, names) ?? []);
  const broken = filters.length - policies.length;
  if (broken > 0) notes.push({ kind: 'left out', text: `${broken} token buckets with numbers that are not valid` });
  return {
    product: "Envoy's local rate limit",
    notes,
    keys: new Map(),
    tiers: new Map(),
    customers: new Map(),
    policies,
  };
}

function policyOf(filter: YamlValue, names: Names): ConvertedPolicy | undefined {
  const bucket = filter.get('token_bucket');
  const capacity = bucket.get('max_tokens').number;
  const perFill = bucket.get('tokens_per_fill').number ?? 1;
  const interval = durationText(bucket.get('fill_interval').text ?? '');
  if (!isWhole(capacity) || !isWhole(perFill) || interval === undefined) return undefined;
  const notes: Note[] = [];
  const enforce = enforceOf(filter, notes);
  const seconds = interval.ms / 1000;
  const refill = Number.isInteger((perFill * 1000) / seconds)
    ? { refillRate: perFill / seconds }
    : { refillRate: perFill, refillInterval: interval.text };
  const spec: LimitSpec = { algorithm: 'token-bucket', capacity, ...refill };
  if (!isLimit(spec)) return undefined;
  const label = filter.get('stat_prefix').text ?? entriesText(filter);
  const status = filter.get('status').get('code').text;
  if (status !== undefined && status !== '429' && status !== 'TooManyRequests')
    notes.push({ kind: 'left out', text: `status: ${status}. Give the middleware statusCode` });
  if (filter.get('response_headers_to_add').items.length > 0)
    notes.push({ kind: 'left out', text: 'response_headers_to_add. Give the middleware onLimitReached' });
  const from: Note = { kind: 'from', text: `token_bucket (${bucket.place})` };
  return {
    name: names.give(label, 'api'),
    key: [EVERYONE.name],
    limits: [{ name: 'bucket', spec, ...enforce, notes: [from] }],
    notes,
  };
}

/** Both shares are 0 in a filter that does not state them: then it limits nobody. */
function enforceOf(filter: YamlValue, notes: Note[]): { readonly enforce?: 0 } {
  // Descriptors have no shares of their own: those of their filter hold.
  if (filter.get('entries').exists) return {};
  const [enabled, enforced] = [shareOf(filter.get('filter_enabled')), shareOf(filter.get('filter_enforced'))];
  const share = Math.min(enabled, enforced);
  if (share === 1) return {};
  const name = enabled === share ? 'filter_enabled' : 'filter_enforced';
  const isStated = filter.get(name).exists;
  notes.push({
    kind: 'from',
    text: isStated
      ? `${name} is below 100 %`
      : `${name} is not stated, and its default is 0 %: this filter refuses nobody, and neither does this limit. To enforce it, delete enforce: 0`,
  });
  if (share > 0)
    notes.push({
      kind: 'differs',
      text: 'Envoy enforces it for a share of requests. A policy file has shares of keys, and everyone is one key: it refuses nobody here',
    });
  return { enforce: 0 };
}

function shareOf(value: YamlValue): number {
  const share = value.get('default_value');
  const numerator = share.get('numerator').number ?? 0;
  const denominator = { HUNDRED: 100, TEN_THOUSAND: 10_000, MILLION: 1_000_000 }[
    share.get('denominator').text ?? 'HUNDRED'
  ];
  return Math.min(1, numerator / (denominator ?? 100));
}

const entriesText = (filter: YamlValue): string =>
  filter
    .get('entries')
    .items.map((entry) => entry.get('value').text ?? entry.get('key').text ?? '')
    .join('-');

function isWhole(number: number | undefined): number is number {
  return number !== undefined && Number.isSafeInteger(number) && number >= 0;
}
