import type { Clock, Store } from '@sluice/core';
import type { CodeFunctions, CompiledPolicy } from '../compile/compile-context.js';
import type { ExplainOptions } from '../explain/explain-policies.js';
import type { ExplainedPolicy } from '../explain/explanation.js';
import type { Enforcement, PolicyFile } from '../file/policy-file.js';
import { Audit, type AuditWriter } from './audit.js';
import type { Controls } from './controls.js';
import { InstanceControls } from './instance-controls.js';
import { KillSwitch } from './kill-switch.js';
import type {
  ChangeReason,
  LivePolicies,
  ReloadOptions,
  ReloadResult,
  SetEnforcementOptions,
} from './live-policies.js';
import { PoliciesInForce } from './policies-in-force.js';
import type { PolicyStatus } from './policy-status.js';
import { readStatus } from './read-status.js';
import { Reloads, type TextParts } from './reloads.js';

/** What live policies are made of, after checks. */
interface RuntimeParts<Req extends object, Async extends boolean> extends TextParts {
  readonly code: CodeFunctions<Req> & { readonly store: Store<Async> };
  readonly audit: AuditWriter | undefined;
  readonly controls: Controls | undefined;
  /** What the environment says. */
  readonly environment: Enforcement | undefined;
}

/** Policies that follow a source, the time, and the controls of all instances, until they are closed. */
export class PolicyRuntime<Req extends object, Async extends boolean> implements LivePolicies<Req, Async> {
  readonly #clock: Clock;
  readonly #controls: InstanceControls;
  readonly #inForce: PoliciesInForce<Req, Async>;
  readonly #reloads: Reloads;
  readonly #killSwitch: KillSwitch;
  readonly #end = new AbortController();
  readonly #loops: Promise<void>[] = [];

  constructor({ code, audit, controls, environment, ...texts }: RuntimeParts<Req, Async>) {
    const { clock } = code.store;
    const { signal } = this.#end;
    this.#clock = clock;
    this.#controls = new InstanceControls(controls);
    this.#inForce = new PoliciesInForce({ code, environment, controls: this.#controls, audit: new Audit(audit) });
    this.#reloads = new Reloads({ ...texts, inForce: this.#inForce, clock, signal });
    const refresh = (change: ChangeReason): void => {
      if (!signal.aborted) this.#inForce.refresh(change);
    };
    this.#killSwitch = new KillSwitch({ controls: this.#controls, clock, signal, refresh });
  }

  /** Applies the first text, and begins to follow the source. */
  async start(): Promise<void> {
    const { signal } = this.#end;
    await this.#controls.read(signal);
    await this.#reloads.start();
    this.#loops.push(this.#reloads.follow(), this.#inForce.followTime(signal));
    const keepUp = (): void => {
      if (!signal.aborted) this.#inForce.keepUp();
    };
    this.#loops.push(this.#controls.follow(this.#clock, signal, keepUp));
  }

  get revision(): string {
    return this.#inForce.state.applied.revision;
  }

  get file(): PolicyFile {
    return this.#inForce.state.applied.file;
  }

  policy<Http extends object = object>(name: string, http?: Http): CompiledPolicy<Req, Async> & Http {
    return this.#inForce.policy(name, http);
  }

  status(): PolicyStatus {
    return readStatus({
      state: this.#inForce.state,
      controls: this.#controls,
      record: this.#reloads.record,
      clock: this.#clock,
    });
  }

  explain(options: Omit<ExplainOptions, 'nowMs'> = {}): readonly ExplainedPolicy[] {
    return this.#inForce.explain(options);
  }

  reload(options: ReloadOptions = {}): Promise<ReloadResult> {
    return this.#reloads.reload(options);
  }

  setEnforcement(mode: Enforcement, options: SetEnforcementOptions): Promise<void> {
    return this.#killSwitch.set(mode, options);
  }

  clearEnforcement(options: ChangeReason = {}): Promise<void> {
    return this.#killSwitch.clear(options);
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#inForce.close();
    await Promise.all(this.#loops);
    await this.#reloads.ended();
  }
}
