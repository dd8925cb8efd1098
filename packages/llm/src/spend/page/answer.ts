import { createHash } from 'node:crypto';
import { STYLE } from './style.js';

/** An answer in any framework. */
export interface Answer {
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The numbers are those of one client at one moment. */
const PRIVATE = {
  'Cache-Control': 'private, no-store',
  Vary: 'Accept',
  'X-Content-Type-Options': 'nosniff',
} as const;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing runs, nothing is loaded, and no other page may show this one in a frame. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The fields of the page. */
export const PAGE_FIELDS = {
  ...PRIVATE,
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
} as const;

/** The fields of the data. */
export const JSON_FIELDS = { ...PRIVATE, 'Content-Type': 'application/json; charset=utf-8' } as const;

/** Returns an answer without numbers: a problem of RFC 9457. */
export function problem(status: number, title: string, detail: string): Answer {
  const fields = { ...PRIVATE, 'Content-Type': 'application/problem+json' };
  return { status, fields, body: JSON.stringify({ type: 'about:blank', title, status, detail }) };
}
