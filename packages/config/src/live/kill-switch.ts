import type { Clock } from '@sluice/core';
import { checkOneOf, checkOptions, durationMs, optionError } from '@sluice/core/values';
import type { Enforcement } from '../file/policy-file.js';
import { checkOpen } from './check-open.js';
import { LONGEST_OVERRIDE_MS } from './enforcement-order.js';
import type { InstanceControls } from './instance-controls.js';
import type { ChangeReason, SetEnforcementOptions } from './live-policies.js';

/** What a kill switch acts on. */
interface KillSwitchParts {
  readonly controls: InstanceControls;
  readonly clock: Clock;
  /** Aborted when the policies are closed. */
  readonly signal: AbortSignal;
  /** Lets the policies take over what has changed. */
  refresh(change: ChangeReason): void;
}

/** Changes how all policies are enforced, beside the file and for some time. */
export class KillSwitch {
  readonly #parts: KillSwitchParts;

  constructor(parts: KillSwitchParts) {
    this.#parts = parts;
  }

  /** See `LivePolicies.setEnforcement`. */
  async set(mode: Enforcement, options: SetEnforcementOptions): Promise<void> {
    const { controls, clock, signal, refresh } = this.#parts;
    checkOneOf(mode, 'mode', ['on', 'shadow', 'off'] as const);
    checkOptions(options, ['for', 'by', 'reason']);
    checkOpen(signal);
    const { by, reason } = options;
    const lengthMs = durationMs(options.for, 'for');
    if (lengthMs > LONGEST_OVERRIDE_MS) {
      throw optionError(
        'for',
        'must be at most 7d: to change it for longer, write enforcement into the file',
        options.for,
      );
    }
    await controls.setEnforcement({
      mode,
      untilMs: clock.now() + lengthMs,
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason }),
    });
    refresh(options);
  }

  /** See `LivePolicies.clearEnforcement`. */
  async clear(options: ChangeReason): Promise<void> {
    const { controls, signal, refresh } = this.#parts;
    checkOptions(options, ['by', 'reason']);
    checkOpen(signal);
    await controls.setEnforcement(undefined);
    refresh(options);
  }
}
