import type { Permit } from '@sluice/core/load';

/** The permit of guards that do not count what is in flight. */
export const FREE: Permit = { done() {}, drop() {}, pause() {}, resume() {} };
