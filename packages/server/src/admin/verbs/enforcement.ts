import { LONGEST_OVERRIDE_MS, type PolicyStatus } from '@sluice/config';
import { durationMs } from '@sluice/core/values';
import * as v from 'valibot';
import { exactObject, must } from '../../input/exact-object.js';
import { adminVerb } from '../admin-verb.js';
import { duration, reason } from './fields.js';

/** The enforcement that holds, and who has set it until when and why, if it is not the file. */
export function shownEnforcement(status: PolicyStatus) {
  const { enforcement: mode, enforcementBy: by, enforcementUntilMs: untilMs, enforcementReason: why } = status;
  return {
    mode,
    ...(by !== undefined && { by }),
    ...(untilMs !== undefined && { until: new Date(untilMs).toISOString() }),
    ...(why !== undefined && { reason: why }),
  };
}

export const enforcement = adminVerb({
  name: 'enforcement',
  summary: 'Shows whether limits refuse (on), only count (shadow) or are not asked (off), and who says so.',
  access: 'read',
  schema: exactObject({}),
  run: ({ parts }) => shownEnforcement(parts.service.live.status()),
});

export const setEnforcement = adminVerb({
  name: 'enforcement/set',
  summary: 'Changes for some time how all policies are enforced, in all instances.',
  access: 'write',
  schema: exactObject({
    mode: v.picklist(['on', 'shadow', 'off'], must("be 'on', 'shadow' or 'off'")),
    for: v.pipe(
      duration,
      v.check((length) => durationMs(length, 'for') <= LONGEST_OVERRIDE_MS, must('be at most 7d')),
      v.description('How long: at most 7 days. After that the file says again what holds.'),
    ),
    reason,
  }),
  async run({ input: { mode, for: length, reason: why }, caller, parts: { service }, note }) {
    note({ mode, for: length });
    await service.live.setEnforcement(mode, { for: durationMs(length, 'for'), by: caller.name, reason: why });
    return shownEnforcement(service.live.status());
  },
});

export const clearEnforcement = adminVerb({
  name: 'enforcement/clear',
  summary: 'Takes back what enforcement/set has set: the file says again what holds.',
  access: 'write',
  schema: exactObject({ reason }),
  async run({ input: { reason: why }, caller, parts: { service } }) {
    await service.live.clearEnforcement({ by: caller.name, reason: why });
    return shownEnforcement(service.live.status());
  },
});
