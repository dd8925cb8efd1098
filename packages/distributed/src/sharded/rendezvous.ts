/**
 * Returns a function that chooses one of several names for each key, the same in every process: the name with the
 * greatest weight for the key. A new name takes its keys evenly from all others. A removed name leaves its keys evenly
 * to all others. No other key moves.
 *
 * @see Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on Networking
 * 6(1), 1998
 */
export function rendezvous(names: readonly string[]): (key: string) => string {
  const seeds = names.map((name) => ({ name, seed: hash(name) }));
  return (key) => {
    const hashed = hash(key);
    let chosen = '';
    let heaviest = -1;
    for (const { name, seed } of seeds) {
      const weight = mix(hashed ^ seed);
      // If two names weigh the same, the smaller name wins, so that their order does not matter.
      if (weight > heaviest || (weight === heaviest && name < chosen)) {
        heaviest = weight;
        chosen = name;
      }
    }
    return chosen;
  };
}

/** FNV-1a over the code units, in 32 bits, with its bits mixed afterwards. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return mix(sum);
}

/** Mixes the bits, so that every bit of the number affects every bit of the result (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let mixed = number;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
