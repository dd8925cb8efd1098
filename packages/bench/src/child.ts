import type { Call, Return } from './child-process.js';
import { startTask, type TaskName } from './tasks/index.js';

const [task, options] = process.argv.slice(2) as [TaskName, string];
const reply = (answer: Return): void => void process.send?.(answer);

const methods = (await startTask(task, JSON.parse(options))) as Record<string, (argument: unknown) => unknown>;
process.on('message', async ({ method, argument }: Call) => {
  try {
    reply({ value: (await methods[method]?.(argument)) ?? null });
  } catch (error) {
    reply({ error: error instanceof Error ? `${error.stack}` : `${error}` });
  }
});
process.on('disconnect', () => process.exit());
reply({ value: 'ready' });
