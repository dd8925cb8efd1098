import { detectFormat } from '../../../../packages/cli/src/log/log-formats.js';
import type { LoggedRequest } from '../../../../packages/cli/src/log/logged-request.js';
import { type Arrival, evenly, type Traffic } from './arrivals.js';
import { COLUMNS, DEFAULT_CLIENT } from './state.js';

const SAMPLE = 100;

/** The log that was read last: a visitor changes limits again and again, and the log stays. */
let last: { readonly text: string; readonly traffic: Traffic } | undefined;

/**
 * Reads a pasted access log as `sluice replay` does: its formats are the same, and found in the same way. Only requests that
 * reached the application count.
 */
export function readAccessLog(text: string): Traffic {
  if (last?.text !== text) last = { text, traffic: trafficIn(text) };
  return last.traffic;
}

function trafficIn(text: string): Traffic {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const bytes = lines.map(asBytes);
  const read = detectFormat(bytes.slice(0, SAMPLE))?.reader({ headers: [], values: [] });
  if (!read)
    return nothing('No line has a format that is known: combined, common, or JSON with one request in each line.');
  const requests = bytes.map((line) => read(line)).filter((request) => request !== undefined);
  const reached = requests.filter(({ hasReached, ip }) => hasReached && ip !== undefined);
  if (reached.length === 0) return nothing('No line has a request with an address.');
  const startMs =
    Math.floor(reached.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY) / 1000) * 1000;
  const endMs = reached.reduce((most, { atMs }) => Math.max(most, atMs), 0);
  const addresses = addressesOf(reached);
  const clients = addresses.map((ip) => ({ ...DEFAULT_CLIENT, name: ip, ip }));
  const indexOf = new Map(addresses.map((ip, index) => [ip, index]));
  const arrivals = spread(reached).map(
    ({ atMs, ip }): Arrival => ({ atMs: atMs - startMs, client: indexOf.get(ip) as number }),
  );
  const columnMs = Math.max(1, Math.ceil((endMs + 1000 - startMs) / COLUMNS / 1000)) * 1000;
  const unread = lines.length - reached.length;
  return { clients, arrivals, columnMs, leftOut: 0, unread, problem: undefined, startMs };
}

const BEYOND_ASCII = /[\x80-\uffff]/;

/** The readers of the command take text of which each character is a byte. */
function asBytes(line: string): string {
  if (!BEYOND_ASCII.test(line)) return line;
  let bytes = '';
  for (const byte of new TextEncoder().encode(line)) bytes += String.fromCharCode(byte);
  return bytes;
}

function nothing(problem: string): Traffic {
  return { clients: [], arrivals: [], columnMs: 1000, leftOut: 0, unread: 0, problem, startMs: 0 };
}

/** Returns the addresses, with most requests first. */
function addressesOf(requests: readonly LoggedRequest[]): string[] {
  const counts = new Map<string, number>();
  for (const { ip } of requests) counts.set(ip as string, (counts.get(ip as string) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([ip]) => ip);
}

/** Spreads the requests of a second evenly over it, if the log does not say more. */
function spread(requests: readonly LoggedRequest[]): { readonly atMs: number; readonly ip: string }[] {
  const seconds = new Map<number, LoggedRequest[]>();
  for (const request of requests) {
    if (request.isExact) continue;
    const others = seconds.get(request.atMs);
    if (others) others.push(request);
    else seconds.set(request.atMs, [request]);
  }
  const exact = requests.filter(({ isExact }) => isExact).map(({ atMs, ip }) => ({ atMs, ip: ip as string }));
  const others = [...seconds].flatMap(([fromMs, same]) => {
    const times = evenly(fromMs, 1000, same.length);
    return same.map(({ ip }, i) => ({ atMs: times[i] as number, ip: ip as string }));
  });
  return [...exact, ...others];
}
