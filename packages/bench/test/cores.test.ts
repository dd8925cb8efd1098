import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { coresIn, pin, twoCores } from '../src/cores.js';

describe('cores', () => {
  it.each([
    ['0-1', [0, 1]],
    ['0-2,5,7-8', [0, 1, 2, 5, 7, 8]],
    ['3', [3]],
  ])('are read from the status of a process: %s', (list, cores) => {
    expect(coresIn(`Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`)).toEqual(cores);
  });

  it('are none in a status without a list', () => {
    expect(coresIn('Name:\tnode\n')).toEqual([]);
  });

  it('bind all threads of a process', async () => {
    const cores = await twoCores();
    if (!cores) return;
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)']);
    try {
      await once(child.stdout, 'data');
      await pin(child.pid as number, cores.server);
      expect(coresIn(readFileSync(`/proc/${child.pid}/status`, 'utf8'))).toEqual([cores.server]);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});
