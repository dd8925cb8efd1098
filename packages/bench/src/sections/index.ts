import type { Section } from '../section.js';
import { admission } from './admission.js';
import { allocation } from './allocation.js';
import { attack } from './attack.js';
import { calls } from './calls.js';
import { expiry } from './expiry.js';
import { files } from './files.js';
import { http } from './http.js';
import { inProcess } from './in-process.js';
import { liveKeys } from './live-keys.js';
import { load } from './load.js';
import { mixed } from './mixed.js';
import { modelCalls } from './model-calls.js';
import { operations } from './operations.js';
import { overload } from './overload.js';
import { rare } from './rare.js';
import { redis } from './redis.js';
import { server } from './server.js';
import { sharedKey } from './shared-key.js';

/** By the names that the command line takes, in the order in which they run. */
export const SECTIONS: ReadonlyMap<string, Section> = new Map([
  ['in-process', inProcess],
  ['allocation', allocation],
  ['admission', admission],
  ['live-keys', liveKeys],
  ['expiry', expiry],
  ['attack', attack],
  ['redis', redis],
  ['mixed', mixed],
  ['rare', rare],
  ['shared-key', sharedKey],
  ['http', http],
  ['files', files],
  ['calls', calls],
  ['model-calls', modelCalls],
  ['operations', operations],
  ['server', server],
  ['load', load],
  ['overload', overload],
]);
