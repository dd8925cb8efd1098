import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RedisServer } from '../redis-server.js';
import { interleaved } from '../rounds.js';
import type { Scale } from '../scale.js';
import type { Section } from '../section.js';
import { ratios, spreadOf } from '../spread.js';
import { installPublished } from '../starts/installed.js';
import { OURS, programOf, STARTS, type Stages } from '../starts/programs.js';
import type { Table } from '../table.js';

/** Ends a program that hangs. */
const MOST_MS = 60_000;

/** What a new process takes until it has answered a hundred times: import, construction and first calls included. */
export const starts: Section = {
  title: 'From the start of a process to its hundredth answer',

  async *run(scale) {
    const { folder, remove } = await installPublished();
    const server = await RedisServer.start();
    try {
      for (const kind of STARTS.keys()) {
        const paths = await written(folder, kind, 0);
        const subjects = new Map([...paths].map(([name, path]) => [name, () => stagesOf(path, server.port)]));
        // The first processes fill the caches of the file system.
        await interleaved(1, subjects);
        yield tableOf(kind, await interleaved(scale.starts.processes, subjects));
      }
      yield await restedTable(folder, server.port, scale.starts);
    } finally {
      await server.stop();
      await remove();
    }
  },
};

/** Writes the programs of a kind, and returns their paths by contender. */
async function written(folder: string, kind: string, restMs: number): Promise<ReadonlyMap<string, string>> {
  const paths = new Map<string, string>();
  for (const [name, start] of STARTS.get(kind) ?? []) {
    const path = join(folder, `${`${kind} ${name} ${restMs}`.replace(/\W+/g, '-')}.mjs`);
    await writeFile(path, programOf(start, restMs));
    paths.set(name, path);
  }
  return paths;
}

async function stagesOf(path: string, port: number): Promise<Stages> {
  const { stdout } = await promisify(execFile)(process.execPath, [path, `${port}`], { timeout: MOST_MS });
  return JSON.parse(stdout) as Stages;
}

function tableOf(kind: string, results: ReadonlyMap<string, readonly Stages[]>): Table {
  const of = (name: string, stage: keyof Stages): number[] => (results.get(name) ?? []).map((stages) => stages[stage]);
  const stages = ['imported', 'made', 'first', 'tenth'] as const;
  return {
    caption: `${kind}: milliseconds since the process began`,
    head: ['', 'imported', 'made', 'first answer', 'tenth answer', 'hundredth answer', `times ${OURS}`],
    rows: [...results.keys()].map((name) => [
      name,
      ...stages.map((stage) => spreadOf(of(name, stage)).median),
      spreadOf(of(name, 'hundredth')),
      ratios(of(name, 'hundredth'), of(OURS, 'hundredth')),
    ]),
  };
}

/** Of all kinds together, because each process rests. They begin one after another, so that none wakes while another one begins. */
async function restedTable(folder: string, port: number, { restMs, rests }: Scale['starts']): Promise<Table> {
  const paths = new Map<string, string>();
  for (const kind of STARTS.keys()) {
    for (const [name, path] of await written(folder, kind, restMs)) paths.set(`${kind}: ${name}`, path);
  }
  const tookUs = new Map<string, number[]>([...paths.keys()].map((name) => [name, []]));
  for (let round = 0; round < rests; round += 1) {
    const asked: Promise<unknown>[] = [];
    for (const [name, path] of paths) {
      asked.push(stagesOf(path, port).then(({ rested }) => tookUs.get(name)?.push(1_000 * rested)));
      await setTimeout(restMs / paths.size / 2);
    }
    await Promise.all(asked);
  }
  return {
    caption: `A call after ${restMs / 1_000} s of rest: microseconds, median of ${rests} processes`,
    head: ['', 'the call'],
    rows: [...tookUs].map(([name, us]) => [name, spreadOf(us)]),
  };
}
