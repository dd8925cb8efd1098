/** Has something done again and again until so many milliseconds are over. Not at all if there are none. */
export async function workFor(ms: number, work: () => unknown): Promise<void> {
  const startMs = performance.now();
  while (performance.now() - startMs < ms) await work();
}
