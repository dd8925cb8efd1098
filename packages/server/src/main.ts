#!/usr/bin/env node
// The program.
import process from 'node:process';
import { run } from './program/run.js';

await run(process);
