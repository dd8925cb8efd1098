import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Line } from '@sluice/core';
import { createQueue } from '../src/p-queue.js';
import { describeOnEachStore } from './each-store.js';
import { until } from './until.js';

describeOnEachStore((stage) => {
  let queue: Line<string>;
  let startMs: number;
  let startedMs: number[];
  let running: number;
  let most: number;

  beforeEach(() => {
    queue = createQueue(stage.store);
    startMs = stage.clock.now();
    startedMs = [];
    running = 0;
    most = 0;
  });

  afterEach(() => queue.close());

  /** A download of 200 ms. */
  async function download(url: string): Promise<string> {
    startedMs.push(stage.clock.now() - startMs);
    running += 1;
    most = Math.max(most, running);
    await stage.clock.sleep(200);
    running -= 1;
    return `content of ${url}`;
  }

  /** Lets time pass in small steps until it is so. */
  const pass = (isSo: () => boolean): Promise<void> =>
    until(() => {
      if (!isSo()) stage.clock.advance('10ms');
      return isSo();
    });

  it('p-queue: two run at once, and three begin in any second, in their order', async () => {
    const urls = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const done: string[] = [];
    const contents = urls.map((url) => queue.run(url, () => download(url)).then((content) => done.push(content)));
    let isIdle = false;
    const idle = queue.drain().then(() => {
      isIdle = true;
    });
    await pass(() => isIdle);
    await Promise.all([...contents, idle]);
    expect(done).toEqual(urls.map((url) => `content of ${url}`));
    expect(most).toBe(2);
    for (const [i, atMs] of startedMs.entries()) expect(atMs).toBeGreaterThanOrEqual(Math.floor(i / 3) * 1000);
  });

  it('p-queue: a waiting download is cancelled by its signal, and the others go on', async () => {
    const stopping = new AbortController();
    const first = [queue.run('a', () => download('a')), queue.run('b', () => download('b'))];
    const cancelled = queue.run('c', () => download('c'), { signal: stopping.signal });
    await pass(() => startedMs.length === 2 && queue.length === 1);
    stopping.abort(new Error('not needed'));
    await expect(cancelled).rejects.toThrow('not needed');
    expect(queue.length).toBe(0);
    await pass(() => running === 0);
    expect(await Promise.all(first)).toEqual(['content of a', 'content of b']);
  });

  it('p-queue: when the queue is closed, every waiting promise settles', async () => {
    const first = [queue.run('a', () => download('a')), queue.run('b', () => download('b'))];
    const waiting = queue.run('c', () => download('c'));
    await pass(() => startedMs.length === 2 && queue.length === 1);
    queue.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SLUICE_CLOSED' });
    await pass(() => running === 0);
    await Promise.all(first);
  });
});
