import { subscribe } from '@sluice/core';

/** Listens to breakers: records their states, and waits for a state. */
export function breakerStates() {
  const states: string[] = [];
  const waiting = new Map<string, () => void>();
  const stop = subscribe('sluice:breaker', ({ state }) => {
    states.push(state);
    waiting.get(state)?.();
    waiting.delete(state);
  });
  const next = (state: string): Promise<void> => new Promise((resolve) => waiting.set(state, resolve));
  return { states, next, stop };
}
