/**
 * Chooses one of several names for each key, the same in every process: the one that weighs most with it. A name that
 * is added takes its part of the keys from all others alike, and one that goes leaves its own to all others alike; no
 * other key moves.
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
      // Names that weigh the same are told apart, so that their order does not matter.
      if (weight > heaviest || (weight === heaviest && name < chosen)) {
        heaviest = weight;
        chosen = name;
      }
    }
    return chosen;
  };
}

/** FNV-1a over the code units, in 32 bits, stirred. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
  return mix(sum);
}

/** Lets every bit of a number decide about every bit of the result (the finalizer of MurmurHash3). */
function mix(number: number): number {
  let mixed = number;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
