// Why it is so: docs/why/margins-and-guarantees.md

/** The units that a negative margin leaves to others, as a number of 0 or less. A positive margin changes no time of a verdict. */
export function keptBack(margin: number): number {
  return Math.min(0, margin);
}

/** Whether a limit admits this many units, if so many are free. */
export function isWithin(units: number, quota: number, free: number, margin: number): boolean {
  return units <= quota && units <= free + margin;
}

/** How many units have to be free, so that this many fit beside those that are left to others. */
export function neededUnits(units: number, margin: number): number {
  return units - keptBack(margin);
}

/** How many units a request with this margin can get. */
export function remainingUnits(free: number, margin: number): number {
  return Math.max(0, free + keptBack(margin));
}

/** How many of these admitted units only a margin admits. */
export function unitsOverQuota(units: number, free: number): number {
  return Math.max(0, units - Math.max(0, free));
}
