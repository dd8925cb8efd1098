import { addDiff } from './diff.js';
import { addExplain } from './explain.js';
import { addFrom } from './from.js';
import { addInit } from './init.js';
import { addReplay } from './replay.js';
import { addSchema } from './schema.js';
import { addValidate } from './validate.js';
import type { Verb } from './verb.js';

/** The verbs about files, in the order in which people need them. */
export const FILE_VERBS: readonly Verb[] = [addInit, addFrom, addValidate, addExplain, addDiff, addReplay, addSchema];
