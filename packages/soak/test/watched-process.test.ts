import { afterEach, expect, it } from '@jest/globals';
import { WatchedProcess } from '../src/watched-process.js';

let watched: WatchedProcess | undefined;

afterEach(() => watched?.stop());

/** Starts a program that does this, and then listens, as it says. */
async function start(program: string): Promise<WatchedProcess> {
  const ready = `console.log(JSON.stringify({ ports: { traffic: 7 } }));`;
  const serves = 'setInterval(() => {}, 1000);';
  watched = await WatchedProcess.start('express', ['--input-type=module', '--eval', `${program}\n${serves}\n${ready}`]);
  return watched;
}

it('What a program has includes buffers, and timers that keep no program running', async () => {
  const { heapMb, timers } = await (await start('')).usage();
  await watched?.stop();
  const more = await start(`
globalThis.kept = Buffer.alloc(50 * 2 ** 20);
for (let i = 0; i < 1000; i += 1) setInterval(() => {}, 1000).unref();`);
  const usage = await more.usage();
  expect(usage.heapMb - heapMb).toBeGreaterThan(49);
  expect(Math.abs(usage.timers - timers - 1000)).toBeLessThan(10);
});

it('A program that does nothing any more is an error', async () => {
  const hung = await start('setTimeout(() => { for (;;); }, 50);');
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect(hung.usage(200)).rejects.toThrow('express does not say what it has');
});
