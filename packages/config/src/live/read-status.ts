import type { Clock } from '@sluice/core';
import type { InstanceControls } from './instance-controls.js';
import { limitStatuses } from './limit-statuses.js';
import type { PolicyState } from './policy-state.js';
import type { PolicyStatus } from './policy-status.js';
import type { ReloadRecord } from './reload-record.js';

/** What a status is read from. */
interface StatusParts {
  readonly state: PolicyState;
  readonly controls: InstanceControls;
  readonly record: ReloadRecord;
  readonly clock: Clock;
}

/** Returns what policies tell about themselves now. */
export function readStatus({ state, controls, record, clock }: StatusParts): PolicyStatus {
  const { applied, enforcement, braked } = state;
  const { trouble } = controls;
  return {
    revision: applied.revision,
    origin: applied.origin,
    enforcement: enforcement.mode,
    ...(enforcement.by !== undefined && { enforcementBy: enforcement.by }),
    ...(enforcement.untilMs !== undefined && { enforcementUntilMs: enforcement.untilMs }),
    ...(enforcement.reason !== undefined && { enforcementReason: enforcement.reason }),
    ...(trouble !== undefined && { controlsTrouble: trouble }),
    ...record.read(),
    limits: limitStatuses(applied.file, { mode: enforcement.mode, braked }, clock),
    braked: [...braked],
  };
}
