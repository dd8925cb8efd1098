import type { Command } from 'commander';
import type { Io } from '../io.js';

/** Adds a verb to the program. */
export type Verb = (program: Command, io: Io) => void;
