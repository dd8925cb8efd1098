/** What is in use once everything else was collected: needs `--expose-gc`. */
export function usedBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

export const usedMegabytes = (): number => usedBytes() / 2 ** 20;
