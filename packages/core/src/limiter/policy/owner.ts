/** A process can have two copies of this package, and each has to find what the other one has set. */
const OWNER: unique symbol = Symbol.for('sluice.owner') as never;

/** Makes an object stand for an owner: whatever is made from it, or with it, belongs to that owner. Returns the object. */
export function ownedBy<O extends object>(options: O, owner: object): O {
  return Object.defineProperty(options, OWNER, { value: owner });
}

/** Returns the owner that an object stands for: itself, if it stands for none. */
export function ownerOf(owner: object): object {
  return (Object(owner) as { readonly [OWNER]?: object })[OWNER] ?? owner;
}
