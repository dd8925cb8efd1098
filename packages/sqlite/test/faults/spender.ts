import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { slidingWindow } from '@sluice/core';
import { SqliteStore } from '../../src/index.js';
import { openFrom } from '../race/open-from.js';

const [file, source] = process.argv.slice(2) as [file: string, source: string];

// Without a listener, a write beyond the limit of the file's size would end the process.
process.on('SIGXFSZ', () => {});

const store = new SqliteStore({ file, timeout: '5s', open: openFrom(createRequire(source)) });
const check = {
  policy: 'p',
  name: 'n',
  key: 'ann',
  limit: slidingWindow({ limit: 10_000_000, window: '1h' }),
  cost: 1,
};

async function spend(): Promise<void> {
  try {
    for (;;) {
      await store.consume({ checks: [check] });
      writeSync(1, 'charged\n');
    }
  } catch (error) {
    writeSync(1, `failed: ${(error as Error).message}\n`);
  }
}

spend();
