import type { LoadState } from '@sluice/core/load';
import { type SluiceEvents, subscribe } from '@sluice/express';

/** Prints each change of the border. Returns the function that ends it. */
export function logBorder(state: LoadState, print: (line: string) => void): () => void {
  let last = state.border;
  return subscribe('sluice:load', ({ border, ageMs }: SluiceEvents['sluice:load']) => {
    if (border === last) return;
    last = border;
    const what = border === undefined ? 'nothing is refused' : `${border} requests are refused as far as needed`;
    print(`${what} (age of the event loop: ${ageMs.toFixed(0)} ms)`);
  });
}
