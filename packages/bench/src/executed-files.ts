import { Session } from 'node:inspector/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** As V8 counts: how often each function of a script was called. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** A built source file of one of our packages; not those of the bench. */
const OURS = /\/packages\/(?!bench\/)([^/]+)\/dist\/(?:esm|cjs)\/(.+)\.js$/;

/** The source files of which at least one function was called: `core/values/key.ts`. */
export function filesOf(coverage: readonly ScriptCoverage[]): string[] {
  return coverage
    .filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
    .flatMap(({ url }) => {
      const [, name, file] = OURS.exec(url) ?? [];
      return name === undefined ? [] : [`${name}/${file}.ts`];
    })
    .sort();
}

const SETTLED_MS = 50;

/** The source files that were executed while `run` was. What was compiled before counts as well. */
export async function executedFiles(run: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    // The start takes longer than timers wait. What they do is not what is counted.
    await setTimeout(SETTLED_MS);
    await session.post('Profiler.takePreciseCoverage');
    await run();
    // What belongs to the request may end after its response.
    await setImmediate();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return filesOf(result);
  } finally {
    session.disconnect();
  }
}
