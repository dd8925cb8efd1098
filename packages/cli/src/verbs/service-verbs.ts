import { addAudit } from './audit.js';
import { addBlock } from './block.js';
import { addBlocked } from './blocked.js';
import { addDrain } from './drain.js';
import { addEnforcement } from './enforcement.js';
import { addInspect } from './inspect.js';
import { addReload } from './reload.js';
import { addReset } from './reset.js';
import { addStatus } from './status.js';
import { addTop } from './top.js';
import { addUnblock } from './unblock.js';
import type { Verb } from './verb.js';

/** The verbs about a running service, in the order in which people need them. */
export const SERVICE_VERBS: readonly Verb[] = [
  addStatus,
  addInspect,
  addReset,
  addBlock,
  addUnblock,
  addBlocked,
  addTop,
  addEnforcement,
  addReload,
  addAudit,
  addDrain,
];
