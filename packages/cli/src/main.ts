#!/usr/bin/env node
// The program. It handles no signal: Ctrl-C ends it at once, whatever it is doing, and the shell says 130.
import process from 'node:process';
import { ioOf } from './io.js';
import { run } from './program.js';

const io = ioOf(process);
// The last of the output can fail after the verb has ended.
process.once('exit', () => {
  process.exitCode = io.exitCode;
});
await run(process.argv.slice(2), io);
