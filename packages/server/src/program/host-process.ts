/** The parts of a process that the program uses. `process` is one. */
export type HostProcess = Pick<
  NodeJS.Process,
  'argv' | 'env' | 'stdout' | 'stderr' | 'exit' | 'exitCode' | 'on' | 'removeAllListeners'
>;
