import { expect, it } from '@jest/globals';
import { type ClusterStoreOptions, clusterStore } from '../src/index.js';
import { newChannel } from './channel.js';

const channel = newChannel();

it.each<[path: string, options: object]>([
  ['role', { role: 'keeper', channel }],
  ['channel', { role: 'worker' }],
  ['channel', { role: 'worker', channel: '' }],
  ['channel', { role: 'worker', channel: 'a\0b' }],
  ['channel', { channel: `/tmp/${'x'.repeat(99)}` }],
  ['channel', { channel: 7 }],
  ['snapshot', { channel, snapshot: '' }],
  ['snapshot', { channel, snapshot: 7 }],
  ['timeout', { channel, timeout: 0 }],
  ['instances', { channel, instances: 0 }],
  ['maxKeys', { channel, maxKeys: 0 }],
  ['whenFull', { channel, whenFull: 'crash' }],
  ['whenFull', { channel, whenFull: '' }],
  ['name', { channel, name: '' }],
  ['clock', { channel, clock: {} }],
  ['client', { channel, client: {} }],
])('A wrong %s is an error at once, in every process: %j', (path, options) => {
  expect(() => clusterStore(options as ClusterStoreOptions)).toThrow(
    expect.objectContaining({ code: 'SLUICE_OPTION', path }),
  );
});
