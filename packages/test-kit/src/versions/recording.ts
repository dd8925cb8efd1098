import type { Limiter, Store } from '@sluice/core';
import { type Said, SCENES, type Scene, saidOf } from './scenes.js';
import type { Server } from './states.js';
import type { Version } from './version.js';

/** When the states were written, and how much later they were read. */
const WRITTEN_MS = Date.UTC(2026, 10, 30, 12);
const LATER_MS = 1000;

/** What a version has left in a server after a scene, and what it said about that a second later. */
export interface Recorded<State> {
  readonly states: readonly State[];
  readonly said: Said;
}

/** The scenes of a version over one kind of server. One that it does not know yet is absent. */
export type Recording<State> = Readonly<Record<string, Recorded<State>>>;

/** Makes a store of a version over the server. */
export type MakeStore = (version: Version, clock: InstanceType<Version['ManualClock']>) => Store<true>;

/** A limiter of a version with the limits of a scene, and what it stands on. */
export interface Stage {
  readonly limiter: Limiter<string, true>;
  readonly clock: InstanceType<Version['ManualClock']>;
  /** Frees the name of the policy. */
  close(): Promise<unknown>;
}

export function stageOf(version: Version, scene: Scene, makeStore: MakeStore): Stage {
  const clock = new version.ManualClock(WRITTEN_MS);
  const store = makeStore(version, clock);
  const options = { name: 'recorded', limits: scene.limits(version), store, onStoreError: 'deny' } as const;
  return { clock, limiter: version.createLimiter(options), close: async () => store.close() };
}

/** Plays all scenes that a version knows. */
export async function record<State>(
  version: Version,
  server: Server<State>,
  makeStore: MakeStore,
): Promise<Recording<State>> {
  const recording: Record<string, Recorded<State>> = {};
  for (const [name, scene] of Object.entries(SCENES)) {
    await server.write([]);
    const recorded = await played(version, scene, server, makeStore).catch((error: Error) => error.message);
    // It has no such limit yet, or no such verb.
    if (typeof recorded === 'string') console.log(`without ${name}: ${recorded}`);
    else recording[name] = recorded;
  }
  return recording;
}

async function played<State>(
  version: Version,
  scene: Scene,
  server: Server<State>,
  makeStore: MakeStore,
): Promise<Recorded<State>> {
  const { limiter, clock, close } = stageOf(version, scene, makeStore);
  try {
    await scene.use(limiter);
    const states = await server.read();
    clock.advance(LATER_MS);
    return { states, said: await saidOf(scene, limiter) };
  } finally {
    await close();
  }
}

/** What a version says about the states of a recording, in place of the version that has written them. */
export async function replay<State>(
  version: Version,
  name: string,
  { states }: Recorded<State>,
  server: Server<State>,
  makeStore: MakeStore,
): Promise<Said> {
  const scene = SCENES[name] as Scene;
  await server.write(states);
  const { limiter, clock, close } = stageOf(version, scene, makeStore);
  clock.advance(LATER_MS);
  try {
    return await saidOf(scene, limiter);
  } finally {
    await close();
  }
}
