/**
 * Milliseconds that this process has had of the processor: all its threads, so that collecting garbage counts, and what
 * neighbours take of the machine does not.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
