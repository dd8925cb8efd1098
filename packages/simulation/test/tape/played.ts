import { SluiceError, type Store } from '@sluice/core';
import type { Cell, Stage, StoreTree } from '../../src/tape/nesting.js';
import { type Limited, limiterOf, type Scenario } from './feature-scenarios.js';
import { StoreFixture } from './store-fixture.js';

/** What happened, in the words of a cell. */
export type Outcome = 'allowed' | { readonly refusedAt: Stage; readonly code: string };

export function outcomeOf(cell: Cell): Outcome {
  return cell === 'allowed' ? cell : { refusedAt: cell.refusedAt, code: cell.code };
}

/** Any other error is a defect, and is thrown. */
export function refused(refusedAt: Stage, error: unknown): Outcome {
  if (error instanceof SluiceError) return { refusedAt, code: error.code };
  throw error;
}

/** Whether stores can be made. */
export function made(tree: StoreTree): Outcome {
  try {
    new StoreFixture().make(tree);
    return 'allowed';
  } catch (error) {
    return refused('store', error);
  }
}

/** Makes the stores and the policy of a scenario, and plays it. */
export async function played(scenario: Scenario, tree: StoreTree, fixture = new StoreFixture()): Promise<Outcome> {
  const store = fixture.make(tree);
  try {
    return await playedOver(store, scenario, fixture);
  } finally {
    await store.close();
  }
}

async function playedOver(store: Store, scenario: Scenario, fixture: StoreFixture): Promise<Outcome> {
  let limited: Limited;
  try {
    limited = limiterOf(scenario, store);
  } catch (error) {
    return refused('policy', error);
  }
  try {
    await scenario.play(limited.limiter, { ...limited, store, fixture });
    return 'allowed';
  } catch (error) {
    return refused('request', error);
  }
}
