import type { LimitSpec, Note } from '../conversion.js';
import type { Directive } from './parse.js';

/** A `limit_req_zone` or a `limit_conn_zone`. */
export interface Zone {
  readonly name: string;
  /** The text that nginx counts by, with variables. */
  readonly key: string;
  /** Requests per second, in thousandths: nginx counts so. Undefined for connections. */
  readonly rate: { readonly written: string; readonly thousandths: number } | undefined;
  readonly place: string;
}

/** A limit that a place of the configuration has. */
export interface PlacedLimit {
  readonly zone: Zone;
  readonly spec: LimitSpec;
  readonly notes: readonly Note[];
}

/** Returns the zone that a directive makes; undefined if it is not valid. */
export function zoneOf({ name, args, place }: Directive): Zone | undefined {
  const zone = args
    .find((arg) => arg.startsWith('zone='))
    ?.slice('zone='.length)
    .split(':')[0];
  const key = args[0];
  if (zone === undefined || key === undefined || key.startsWith('zone=')) return undefined;
  if (name === 'limit_conn_zone') return { name: zone, key, rate: undefined, place };
  const rate = rateOf(args.find((arg) => arg.startsWith('rate='))?.slice('rate='.length) ?? '');
  return rate && { name: zone, key, rate, place };
}

function rateOf(written: string): Zone['rate'] {
  const [, number, unit] = /^(\d+)r\/([sm])$/.exec(written) ?? [];
  if (number === undefined || Number(number) === 0) return undefined;
  return { written, thousandths: Math.floor((Number(number) * 1000) / (unit === 's' ? 1 : 60)) };
}

/**
 * Returns the limit of `limit_req zone=…`. nginx admits a request if at most `burst` others are ahead of it: a bucket of
 * one more.
 *
 * @see https://nginx.org/en/docs/http/ngx_http_limit_req_module.html
 */
export function requestLimit(zone: Zone, args: readonly string[], place: string): PlacedLimit | undefined {
  if (!zone.rate || zone.rate.thousandths === 0) return undefined;
  const { written, thousandths } = zone.rate;
  const burst = numberOf(args, 'burst');
  const immediate = args.includes('nodelay') ? burst : Math.min(burst, numberOf(args, 'delay'));
  const perSecond = thousandths / 1000;
  const notes: Note[] = [
    { kind: 'from', text: `limit_req ${args.join(' ')} (${place}), rate=${written} (${zone.place})` },
  ];
  if (written.endsWith('m')) notes.push({ kind: 'from', text: perMinute(written, immediate, thousandths) });
  if (immediate >= burst) {
    const spec = { algorithm: 'token-bucket', capacity: burst + 1, refillRate: perSecond };
    return { zone, spec, notes };
  }
  notes.push({
    kind: 'from',
    text: `${immediate === 0 ? 'requests of the burst wait' : `the first ${immediate} requests of the burst do not wait, the others do`}, as in nginx: a waiting request holds its connection`,
  });
  const spec = {
    algorithm: 'leaky-bucket',
    capacity: burst + 1,
    leakRate: perSecond,
    ...(immediate > 0 && { immediate }),
  };
  return { zone, spec, notes };
}

/**
 * A rate per minute is no number of requests in a minute, which surprises many.
 *
 * @param immediate - how many requests above the rate do not wait
 */
function perMinute(written: string, immediate: number, thousandths: number): string {
  const number = Number.parseInt(written, 10);
  const gapMs = Math.ceil(1_000_000 / thousandths);
  return (
    `look whether ${written} is what you mean: it admits one request every ${gapMs} ms` +
    `${immediate > 0 ? `, and ${immediate + 1} at once` : ''}. If you mean ${number} in any minute, write limit: ${number}, window: 1m`
  );
}

/** Returns the limit of `limit_conn`. */
export function connectionLimit(zone: Zone, args: readonly string[], place: string): PlacedLimit | undefined {
  const limit = Number(args[1]);
  if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) return undefined;
  return {
    zone,
    spec: { algorithm: 'concurrency', limit, lease: '30s' },
    notes: [
      { kind: 'from', text: `limit_conn ${args.join(' ')} (${place})` },
      {
        kind: 'differs',
        text: 'nginx counts the requests that run in one machine; over Redis this limit holds for all instances together. A crashed instance frees its slots after the lease',
      },
    ],
  };
}

function numberOf(args: readonly string[], name: string): number {
  const text = args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1);
  const number = Number(text ?? 0);
  return Number.isInteger(number) && number >= 0 ? number : 0;
}
