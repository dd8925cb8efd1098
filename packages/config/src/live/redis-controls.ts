import { type Clock, type Duration, systemClock } from '@sluice/core';
import { checkName, checkOptions, durationMs, show, warn } from '@sluice/core/values';
import { redisChanges } from '../source/redis-changes.js';
import { connectionOf, type RedisClient } from '../source/redis-client.js';
import { sourceError } from '../source/source-text.js';
import { within } from '../source/waiting.js';
import type { ControlState, Controls } from './controls.js';
import { type EnforcementOverride, isEnforcement, LONGEST_OVERRIDE_MS } from './enforcement-order.js';

/** The options of `redisControls`. */
export interface RedisControlsOptions {
  /** The key of a Redis hash. It is also the channel on which changes are told. Default: `sluice:controls`. */
  readonly key?: string;
  /** How often it is read without a message, in case one was lost. Default: 5 seconds. */
  readonly poll?: Duration;
  /** How long Redis may take. Default: 2 seconds. */
  readonly timeout?: Duration;
  /** Default: `systemClock`. */
  readonly clock?: Clock;
}

const ENFORCEMENT = 'enforcement';
const BRAKE = 'brake:';

/**
 * Keeps the kill switch and the brakes of all instances in a Redis hash. `setEnforcement` of one instance reaches the others at
 * once, and a brake of one takes back the rollout of all.
 *
 * The field `enforcement` is JSON that an operator can set by hand:
 * `HSET sluice:controls enforcement '{"mode":"shadow","until":"2026-12-01T12:00:00Z","by":"ann","reason":"incident"}'`,
 * then `PUBLISH sluice:controls ""`. Without an end, or with one that is more than 7 days away, it is ignored, and so is what is no
 * such JSON: the process gets the warning `SLUICE_CONTROLS` once for each text.
 *
 * @param client - a client of ioredis or node-redis. A duplicate of it listens until the policies are closed.
 * @throws SluiceError `SLUICE_OPTION`
 * @example const live = await policies({ source: fromFile('sluice.yaml'), store, controls: redisControls(redis) });
 */
export function redisControls(client: RedisClient, options: RedisControlsOptions = {}): Controls {
  const connection = connectionOf(client);
  checkOptions(options, ['key', 'poll', 'timeout', 'clock']);
  const key = checkName(options.key ?? 'sluice:controls', 'key');
  const pollMs = durationMs(options.poll ?? '5s', 'poll', 10);
  const timeoutMs = durationMs(options.timeout ?? '2s', 'timeout');
  const clock = options.clock ?? systemClock;
  const late = (): Error => sourceError(`redis:${key}`, `did not answer within ${timeoutMs} ms`);
  const write = async (command: string, ...args: string[]): Promise<void> => {
    await within(timeoutMs, connection.call(command, key, ...args), late);
    await within(timeoutMs, connection.call('PUBLISH', key, ''), late);
  };
  let ignored: string | undefined;
  /** An operator has to hear of a typing error, and it must not stop the service. */
  const ignore = (text: string, mistake: string): void => {
    if (text === ignored) return;
    ignored = text;
    warn('SLUICE_CONTROLS', `the field enforcement of ${key} is ignored: ${mistake}, got ${show(text)}`);
  };
  return {
    read: async (signal) => {
      const { enforcement, brakes } = fieldsOf(await within(timeoutMs, connection.call('HGETALL', key), late, signal));
      if (enforcement === undefined) return { enforcement, brakes };
      const override = overrideOf(enforcement, clock.now());
      if (typeof override === 'object') return { enforcement: override, brakes };
      ignore(enforcement, override);
      return { enforcement: undefined, brakes };
    },
    changes: (signal) => redisChanges(connection, { channel: key, pollMs, clock }, signal),
    setEnforcement: (override) =>
      override ? write('HSET', ENFORCEMENT, textOf(override)) : write('HDEL', ENFORCEMENT),
    setBrake: (policy, form) => write('HSET', BRAKE + policy, form),
  };
}

/** Reads a hash: a list of fields and values, or a record, as newer protocols have it. */
function fieldsOf(reply: unknown): {
  readonly enforcement: string | undefined;
  readonly brakes: ControlState['brakes'];
} {
  const fields = Array.isArray(reply) ? pairs(reply) : Object.entries(reply ?? {});
  const brakes = fields.filter(([name]) => name.startsWith(BRAKE));
  return {
    enforcement: fields.find(([name]) => name === ENFORCEMENT)?.[1],
    brakes: new Map(brakes.map(([name, form]) => [name.slice(BRAKE.length), form])),
  };
}

function pairs(list: readonly unknown[]): [string, string][] {
  return list.flatMap((name, i) => (i % 2 === 0 ? [[String(name), String(list[i + 1])] as [string, string]] : []));
}

function textOf({ untilMs, ...rest }: EnforcementOverride): string {
  return JSON.stringify({ ...rest, until: new Date(untilMs).toISOString() });
}

/** The clocks of instances may differ by so much. */
const CLOCK_SKEW_MS = 300_000;

/** Returns the override, or what is wrong with the text. */
function overrideOf(text: string, nowMs: number): EnforcementOverride | string {
  const fields = parsed(text);
  if (fields === undefined) return 'it must be a JSON object';
  const { mode, until, by, reason } = fields;
  if (!isEnforcement(mode)) return 'mode must be on, shadow or off';
  const untilMs = typeof until === 'string' ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(untilMs)) return 'until must be a time such as 2026-12-01T12:00:00Z';
  if (untilMs - nowMs > LONGEST_OVERRIDE_MS + CLOCK_SKEW_MS) return 'until must be at most 7 days from now';
  return {
    mode,
    untilMs,
    ...(typeof by === 'string' && { by }),
    ...(typeof reason === 'string' && { reason }),
  };
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
