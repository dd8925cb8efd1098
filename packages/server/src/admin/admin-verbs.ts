import type { AdminVerb } from './admin-verb.js';
import { audit } from './verbs/audit.js';
import { block } from './verbs/block.js';
import { blocked } from './verbs/blocked.js';
import { drain } from './verbs/drain.js';
import { clearEnforcement, enforcement, setEnforcement } from './verbs/enforcement.js';
import { explain } from './verbs/explain.js';
import { reset, unblock } from './verbs/forget-key.js';
import { inspect } from './verbs/inspect.js';
import { reload } from './verbs/reload.js';
import { status } from './verbs/status.js';
import { top } from './verbs/top.js';

/** All verbs of the administration, in the order of its description. */
export const ADMIN_VERBS: readonly AdminVerb[] = [
  status,
  explain,
  inspect,
  reset,
  block,
  unblock,
  blocked,
  top,
  enforcement,
  setEnforcement,
  clearEnforcement,
  reload,
  audit,
  drain,
];
