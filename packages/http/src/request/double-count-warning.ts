import { warn } from '@sluice/core/src/values/warning';

/** Warns, once per policy, if it decides about a request twice. */
export class DoubleCountWarning {
  #isDone = false;

  warnOf(policy: string): void {
    if (this.#isDone) return;
    this.#isDone = true;
    warn(
      'SLUICE_COUNTED_TWICE',
      `The policy ${JSON.stringify(policy)} counted a request twice, so clients get half of the limit. Put the limiter on the application or on the route, not on both. If you call it yourself, make a new request object for each call.`,
    );
  }
}
