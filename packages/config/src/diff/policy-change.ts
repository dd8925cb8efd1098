/** A value in a policy file, as somebody would write it there. */
export type SettingValue = string | number | boolean;

/** One difference between two policy files. */
export interface PolicyChange {
  /**
   * Where it is: `tiers.pro.minute.limit`. The limits of a policy are named, not numbered (`policies.api.limits.minute.limit`),
   * because a number can mean another limit in the other file.
   */
  readonly path: string;
  /** The value before; undefined if there was none. */
  readonly from: SettingValue | undefined;
  /** The value from now on; undefined if there is none. */
  readonly to: SettingValue | undefined;
  /** How many times larger a number or a length of time became: 2 for 100 to 200, 0.5 for 1h to 30m. Undefined for others. */
  readonly factor: number | undefined;
  /** The change in words. */
  readonly sentence: string;
  /** Which requests that were counted do not count any more, in words. Undefined if what was spent stays spent. */
  readonly forgets: string | undefined;
}
