import { Session } from 'node:inspector/promises';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** As V8 counts: how often each function of a script was called. */
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** A function of one of our packages, and how often it was called. */
export interface CalledFunction {
  /** Its source file: `core/values/key.ts`. */
  readonly file: string;
  /** Empty for a function without a name. */
  readonly name: string;
  /** Where it begins in the built file. */
  readonly offset: number;
  readonly calls: number;
}

/** A built source file of one of our packages; not those of the bench. */
const OURS = /\/packages\/(?!bench\/)([^/]+)\/dist\/(?:esm|cjs)\/(.+)\.js$/;

/** The functions of our packages that were called. */
export function calledIn(coverage: readonly ScriptCoverage[]): CalledFunction[] {
  return coverage.flatMap(({ url, functions }) => {
    const [, name, file] = OURS.exec(url) ?? [];
    if (name === undefined) return [];
    return functions.flatMap(({ functionName, ranges: [whole] }): CalledFunction[] => {
      if (!whole || whole.count === 0) return [];
      return [{ file: `${name}/${file}.ts`, name: functionName, offset: whole.startOffset, calls: whole.count }];
    });
  });
}

/** The functions that were called in both runs, each as often as in the run that called it less. */
export function calledInBoth(one: readonly CalledFunction[], other: readonly CalledFunction[]): CalledFunction[] {
  const byPlace = new Map(other.map((called) => [placeOf(called), called.calls]));
  return one.flatMap((called) => {
    const calls = Math.min(called.calls, byPlace.get(placeOf(called)) ?? 0);
    return calls === 0 ? [] : [{ ...called, calls }];
  });
}

const placeOf = ({ file, offset }: CalledFunction): string => `${file}:${offset}`;

const SETTLED_MS = 50;

/** The functions that were called while `run` was. What was compiled before counts as well. */
export async function calledFunctions(run: () => Promise<void>): Promise<CalledFunction[]> {
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
    return calledIn(result);
  } finally {
    session.disconnect();
  }
}
