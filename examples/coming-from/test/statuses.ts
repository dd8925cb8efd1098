/** Returns the statuses of this many requests, one after the other. */
export async function statuses(count: number, ask: () => PromiseLike<{ readonly status: number }>): Promise<number[]> {
  const answers: number[] = [];
  for (let i = 0; i < count; i += 1) answers.push((await ask()).status);
  return answers;
}

/** Returns the same status this many times. */
export const times = (count: number, status: number): number[] => Array(count).fill(status);
