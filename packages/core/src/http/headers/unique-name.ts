/**
 * The name of a limit in the header fields of a request that several policies answer: its own while no earlier item has it,
 * else `policy:name`, and `policy:name:2` and so on where that is taken too, as by a policy that runs twice.
 */
export function uniqueName(name: string, policy: string, earlier: readonly { readonly name: string }[]): string {
  if (!isTaken(name, earlier)) return name;
  const qualified = `${policy}:${name}`;
  let candidate = qualified;
  for (let count = 2; isTaken(candidate, earlier); count += 1) candidate = `${qualified}:${count}`;
  return candidate;
}

function isTaken(name: string, earlier: readonly { readonly name: string }[]): boolean {
  for (const item of earlier) if (item.name === name) return true;
  return false;
}
