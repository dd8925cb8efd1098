// How long the kill switch takes to reach three processes: by a file, and by Redis. Started with an argument, it is one of them.
import { fork } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fromFile, policies, redisControls } from '@sluice/config';
import { MemoryStore } from '@sluice/core';
import { Redis } from 'ioredis';
import { RedisServer } from '../dist/redis-server.js';

const PROCESSES = 3;
const ROUNDS = 5;
const text = (mode) => `version: 1\nenforcement: ${mode}\npolicies: { api: { limits: [{ limit: 1, window: 1m }] } }\n`;

const follow = async (path, port) => {
  const client = new Redis({ port: Number(port) });
  const live = await policies({ source: fromFile(path), store: new MemoryStore(), controls: redisControls(client) });
  let mode = live.status().enforcement;
  setInterval(() => {
    const now = live.status().enforcement;
    if (now !== mode) process.send({ mode: now, atMs: performance.timeOrigin + performance.now() });
    mode = now;
  }, 1);
  process.send({ mode, atMs: 0 });
};

/** Resolves with the time at which the last of the processes has this mode. */
const untilAll = (children, mode) =>
  Promise.all(
    children.map(
      (child) =>
        new Promise((resolve) => {
          const observed = (message) => {
            if (message.mode !== mode) return;
            child.off('message', observed);
            resolve(message.atMs);
          };
          child.on('message', observed);
        }),
    ),
  ).then((times) => Math.max(...times));

const lead = async () => {
  const server = await RedisServer.start();
  const { port } = server;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-kill-'));
  const path = join(folder, 'sluice.yaml');
  const write = (mode) => {
    writeFileSync(`${path}.tmp`, text(mode));
    renameSync(`${path}.tmp`, path);
  };
  write('on');
  const children = Array.from({ length: PROCESSES }, () => fork(fileURLToPath(import.meta.url), [path, `${port}`]));
  await untilAll(children, 'on');
  const client = new Redis({ port });
  const say = async (until) => {
    if (until) await client.hset('sluice:controls', 'enforcement', JSON.stringify({ mode: 'shadow', until }));
    else await client.hdel('sluice:controls', 'enforcement');
    await client.publish('sluice:controls', '');
  };
  const timed = async (mode, change) => {
    await pause(700);
    const done = untilAll(children, mode);
    const startMs = performance.timeOrigin + performance.now();
    await change();
    return (await done) - startMs;
  };
  const [byFile, byRedis] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    byFile.push(await timed('off', () => write('off')), await timed('on', () => write('on')));
    byRedis.push(await timed('shadow', () => say('2100-01-01T00:00:00Z')), await timed('on', () => say()));
  }
  for (const child of children) child.kill();
  client.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true });
  const [fileMs, redisMs] = [Math.max(...byFile), Math.max(...byRedis)].map(Math.round);
  console.log(
    `kill switch: ${PROCESSES} processes, ${2 * ROUNDS} changes each: by a file after ${fileMs} ms at most (allowed 1000), ` +
      `by Redis after ${redisMs} ms at most (allowed 200)`,
  );
  if (fileMs > 1000 || redisMs > 200) process.exitCode = 1;
};

const [, , path, port] = process.argv;
if (path === undefined) await lead();
else await follow(path, port);
