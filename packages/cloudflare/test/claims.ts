import type { StoreClaims } from '@sluice/conformance';

const OWN_OBJECT = 'each key has an object of its own';

/** The claims of a store without a partition. */
export const OBJECT_OF_EACH_KEY: StoreClaims = {
  exact: true,
  acrossKeys: OWN_OBJECT,
  margins: true,
  guarantees: OWN_OBJECT,
  calendars: true,
  blocks: 'nobody can list what several objects have',
  algorithms: true,
};

/** The claims of a store whose partition is a text. */
export const ONE_OBJECT: StoreClaims = { ...OBJECT_OF_EACH_KEY, acrossKeys: true, guarantees: true, blocks: true };
