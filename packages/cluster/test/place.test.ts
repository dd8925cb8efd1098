import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { describe, expect, it, jest } from '@jest/globals';
import { placeIn, placeOf } from '../src/place.js';
import { newChannel } from './channel.js';

const self = { pid: 20, ppid: 10, isWorker: false, env: {} };
const PM2 = { pm_id: '3', exec_mode: 'cluster_mode', PM2_HOME: '/home/ann/.pm2', namespace: 'default', name: 'api' };

describe('A process', () => {
  it('of node:cluster belongs to its primary', () => {
    const primary = placeOf(self);
    expect(primary).toEqual({ role: 'primary', group: 'pid 20' });
    expect(placeOf({ ...self, pid: 30, ppid: 20, isWorker: true })).toEqual({ role: 'worker', group: primary.group });
  });

  it('of PM2 belongs to instance 0 of its application', () => {
    const instance = (number: string, more: object = {}) =>
      placeOf({ ...self, isWorker: true, env: { ...PM2, NODE_APP_INSTANCE: number, ...more } });
    expect(instance('0').role).toBe('primary');
    expect(instance('1').role).toBe('worker');
    expect(instance('1').group).toBe(instance('0').group);
    expect(instance('0', { name: 'other' }).group).not.toBe(instance('0').group);
    expect(instance('0', { PM2_HOME: '/home/bob/.pm2' }).group).not.toBe(instance('0').group);
  });

  it("of PM2's fork mode belongs to instance 0 if there are several, and may use node:cluster itself if there is one", () => {
    const env = { ...PM2, exec_mode: 'fork_mode', NODE_APP_INSTANCE: '0' };
    const instances = { ...env, instances: '4' };
    expect(placeOf({ ...self, env: instances })).toMatchObject({
      role: 'primary',
      group: expect.stringMatching(/^pm2/),
    });
    expect(placeOf({ ...self, env: { ...instances, NODE_APP_INSTANCE: '2' } }).role).toBe('worker');
    expect(placeOf({ ...self, env })).toEqual({ role: 'primary', group: 'pid 20' });
    expect(placeOf({ ...self, env, isWorker: true })).toEqual({ role: 'worker', group: 'pid 10' });
  });

  it('of PM2 whose number has another name needs a role', () => {
    expect(() => placeOf({ ...self, env: PM2 })).toThrow(
      expect.objectContaining({ code: 'SLUICE_OPTION', path: 'role' }),
    );
  });

  it('needs a channel if it cannot make a folder for it', () => {
    const file = newChannel();
    writeFileSync(file, '');
    const tmpdir = jest.spyOn(os, 'tmpdir').mockReturnValue(file);
    expect(() => placeIn({ name: 'cluster' })).toThrow(
      expect.objectContaining({
        code: 'SLUICE_OPTION',
        path: 'channel',
        message: expect.stringContaining('ENOTDIR'),
      }),
    );
    expect(placeIn({ name: 'cluster', channel: file })).toMatchObject({ channel: file });
    tmpdir.mockRestore();
  });
});
