import type { Subjects } from '../adapter-fixture.js';
import { addressRules } from '../address-rules.js';
import { blockRules } from '../block-rules.js';
import { hostileHeaderRules } from '../hostile-header-rules.js';
import { listRules } from '../list-rules.js';
import { missingKeyRules } from '../missing-key-rules.js';

/** Who is counted: addresses, keys, and those whom a list or a block names. */
export const CALLER_SUBJECTS: Subjects = {
  addresses: addressRules,
  'hostile header fields': hostileHeaderRules,
  'requests without a key': missingKeyRules,
  'lists and skip': listRules,
  'blocks by hand': blockRules,
};
