import type { Dice } from './dice.js';
import { hostileValue, mutated, mutatedBytes } from './mutate.js';

/** A request as bytes, and for which port. */
export interface FuzzedRequest {
  readonly port: 'traffic' | 'admin';
  readonly bytes: Buffer;
  /** Whether nothing can follow it on its connection. */
  readonly ends: boolean;
}

/** What requests are made from. */
export interface Ground {
  readonly adminToken: string;
  /** Tokens of reservations that are open. */
  readonly tokens: readonly string[];
}

type Fields = Readonly<Record<string, string>>;

const POLICIES = ['api', 'login', 'plans', 'gone', '', '__proto__', 'a/b'];

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND'];

/** So few that the states of their keys do not fill the memory. */
const ADDRESSES = Array.from({ length: 40 }, (_, i) => `203.0.113.${i}`).concat('2001:db8::1', '::ffff:192.0.2.1');

const JSON_FIELDS: Fields = { 'Content-Type': 'application/json' };

/** Makes one request of any kind. */
export function fuzzedRequest(dice: Dice, ground: Ground): FuzzedRequest {
  const kind = dice.roll(100);
  if (kind < 32) return traffic(dice, 'POST', decisionPath(dice), body(dice, decision(dice)), JSON_FIELDS);
  if (kind < 47) return traffic(dice, 'POST', reservationPath(dice, ground), body(dice, settlement(dice)), JSON_FIELDS);
  if (kind < 67)
    return traffic(
      dice,
      dice.oneIn(4) ? dice.pick(METHODS) : 'GET',
      balancerPath(dice),
      undefined,
      balancerFields(dice),
    );
  if (kind < 82) return traffic(dice, 'POST', '/json', body(dice, rateLimit(dice)), JSON_FIELDS);
  if (kind < 92) return administration(dice, ground);
  if (kind < 96) return traffic(dice, dice.pick(METHODS), anyPath(dice), undefined, {});
  return noHttp(dice);
}

function traffic(dice: Dice, method: string, path: string, content: Buffer | undefined, fields: Fields): FuzzedRequest {
  return { port: 'traffic', ...framed(dice, method, path, content, fields) };
}

function administration(dice: Dice, { adminToken }: Ground): FuzzedRequest {
  const verb = dice.pick([
    'status',
    'explain',
    'inspect',
    'reset',
    'block',
    'unblock',
    'blocked',
    'top',
    'enforcement',
    'audit',
    'no',
  ]);
  const input = {
    policy: dice.pick(POLICIES),
    key: dice.pick<unknown>([['ip', dice.pick(ADDRESSES)], { address: dice.pick(ADDRESSES) }, 'ann']),
    ...(verb === 'block' && { for: '1s', reason: 'fuzz' }),
  };
  const authorization = dice.oneIn(5) ? fieldText(dice) : `Bearer ${adminToken}`;
  const fields = { ...JSON_FIELDS, Authorization: authorization, ...(dice.oneIn(10) && { Origin: fieldText(dice) }) };
  return { port: 'admin', ...framed(dice, 'POST', `/v1/admin/${verb}`, body(dice, input), fields) };
}

/** Bytes that a parser of HTTP has to refuse, or to wait for. */
function noHttp(dice: Dice): FuzzedRequest {
  const port = dice.pick(['traffic', 'admin'] as const);
  const { bytes } = framed(dice, 'POST', '/v1/decisions', body(dice, decision(dice)), JSON_FIELDS);
  return { port, bytes: dice.oneIn(4) ? dice.bytes(dice.roll(300)) : mutatedBytes(bytes, dice), ends: true };
}

function framed(
  dice: Dice,
  method: string,
  path: string,
  content: Buffer | undefined,
  fields: Fields,
): Pick<FuzzedRequest, 'bytes' | 'ends'> {
  const hostile = dice.oneIn(12)
    ? { [dice.pick(['X-A', 'Expect', 'Upgrade', 'Host', 'Content-Encoding'])]: fieldText(dice) }
    : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...fields, ...hostile }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const length = content || method !== 'GET' ? `Content-Length: ${content?.length ?? 0}\r\n` : '';
  const head = `${method} ${path} HTTP/1.1\r\n${lines.join('')}${length}\r\n`;
  return {
    bytes: Buffer.concat([Buffer.from(head, 'latin1'), content ?? Buffer.alloc(0)]),
    ends: 'Upgrade' in hostile,
  };
}

/** A body: the value as it is, changed as a value, or changed as bytes. */
function body(dice: Dice, value: unknown): Buffer {
  const changed = dice.oneIn(4) ? value : mutated(value, dice);
  const bytes = Buffer.from(JSON.stringify(changed) ?? '');
  return dice.oneIn(6) ? mutatedBytes(bytes, dice) : bytes;
}

function decision(dice: Dice): unknown {
  const one = () => ({
    policy: dice.pick(POLICIES),
    kind: dice.pick(['consume', 'peek', 'reserve']),
    request: {
      method: dice.pick(METHODS),
      path: '/v1/search?q=tea',
      headers: { 'x-api-key': 'key', accept: ['a', 'b'] },
      address: dice.pick(ADDRESSES),
    },
    ...(dice.oneIn(2) && {
      keys: { customer: dice.pick(['ann', 7, ['eu', 'bob']]) },
      tier: dice.pick(['free', 'paid']),
    }),
    ...(dice.oneIn(2) && { cost: dice.roll(5) }),
    ...(dice.oneIn(4) && { id: `order-${dice.roll(100)}` }),
  });
  return dice.oneIn(5) ? Array.from({ length: dice.roll(6) }, one) : one();
}

function decisionPath(dice: Dice): string {
  return dice.oneIn(6) ? `/v1/decisions?${dice.pick(['status=429', 'status', 'a=b&c', '%', '?'])}` : '/v1/decisions';
}

function settlement(dice: Dice): unknown {
  return dice.pick([{}, { actual: dice.roll(10) }, { actual: { minute: dice.roll(10) } }]);
}

function reservationPath(dice: Dice, { tokens }: Ground): string {
  const token = dice.pick(tokens);
  const bytes = Buffer.from(token);
  const sent = dice.oneIn(3) ? token : urlText(mutatedBytes(bytes, dice).toString('latin1'));
  return `/v1/reservations/${sent}/${dice.pick(['settle', 'cancel', 'settle', 'cancel', 'spend', ''])}`;
}

function balancerPath(dice: Dice): string {
  const policies = Array.from({ length: 1 + dice.roll(dice.oneIn(10) ? 20 : 2) }, () => dice.pick(POLICIES));
  return `/v1/${dice.pick(['forward-auth', 'auth-request'])}/${urlText(policies.join('/'))}${dice.oneIn(20) ? '?a' : ''}`;
}

function balancerFields(dice: Dice): Fields {
  const value = (right: string): string => (dice.oneIn(5) ? fieldText(dice) : right);
  return {
    ...(dice.oneIn(10)
      ? {}
      : { 'X-Forwarded-For': value(dice.pick(ADDRESSES)), 'X-Real-IP': value(dice.pick(ADDRESSES)) }),
    'X-Forwarded-Method': value('GET'),
    'X-Forwarded-Uri': value('/v1/search?q=tea'),
    'X-Forwarded-Host': value('api.example.com'),
    ...(dice.oneIn(4) && { 'Sluice-Request-Id': value(`request-${dice.roll(100)}`) }),
  };
}

function rateLimit(dice: Dice): unknown {
  const entries = [
    { key: 'remote_address', value: dice.pick(ADDRESSES) },
    { key: 'customer', value: dice.pick(['ann', 'bob']) },
    ...(dice.oneIn(4) ? [{ key: 'policy', value: dice.pick(POLICIES) }] : []),
  ];
  return {
    domain: dice.pick(POLICIES),
    descriptors: Array.from({ length: dice.roll(4) }, () => ({
      entries,
      ...(dice.oneIn(3) && { hitsAddend: dice.roll(4) }),
    })),
    ...(dice.oneIn(3) && { hitsAddend: dice.pick<unknown>([dice.roll(4), '3', -1, 2 ** 33]) }),
  };
}

function anyPath(dice: Dice): string {
  return dice.pick([
    '/livez',
    '/readyz',
    '/readyz?verbose',
    '/v1/openapi.json',
    '/metrics',
    '/',
    '*',
    `/${urlText(fieldText(dice))}`,
  ]);
}

/** A text that may stand in a field: without ends of lines, which would make another request of it. */
function fieldText(dice: Dice): string {
  const value = hostileValue(dice);
  return (typeof value === 'string' ? value : JSON.stringify(value)).replace(/[\r\n\0]/g, '').slice(0, 9000);
}

/** A text that may stand in a path. */
function urlText(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '%80');
}
