import { Child, type ChildOptions, type Worker } from './child-process.js';
import type { Scale } from './scale.js';
import { startTask, type TaskName } from './tasks/index.js';

/** In a process of its own, unless the scale is one that measures nothing. */
export async function startWorker<Name extends TaskName>(
  scale: Scale,
  task: Name,
  options: unknown,
  childOptions: ChildOptions = {},
): Promise<Worker<Name>> {
  if (scale.hasProcesses) return Child.start(task, options, childOptions);
  const methods = (await startTask(task, options)) as Record<string, (argument?: unknown) => unknown>;
  return {
    ask: async (method, argument) => (await methods[method]?.(argument)) as never,
    end: async () => void (await methods.end?.()),
  };
}
