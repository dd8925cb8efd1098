import { nearest } from '@sluice/core/values';
import type { MistakeList } from './mistake-list.js';
import type { Path } from './path.js';
import type { KeyRule } from './policy-file.js';
import type { FileInput, KeyInput, KeyNamesInput } from './schema.js';
import type { Sound } from './structure.js';

/** The keys that every file has. IPv6 counts by the subnet that a provider gives to one customer, as `byIp` does. */
const BUILT_IN: ReadonlyMap<string, KeyRule> = new Map<string, KeyRule>([
  ['address', { from: 'ip', ipv6Subnet: 56 }],
  ['everyone', { from: 'everyone' }],
]);

/** Reads the section `keys`. A key that has a mistake is in the result all the same, as one from code. */
export function readKeys(keys: Sound<FileInput>['keys'], mistakes: MistakeList): ReadonlyMap<string, KeyRule> {
  const rules = new Map(BUILT_IN);
  for (const [name, input] of Object.entries(keys ?? {})) {
    const path = ['keys', name];
    if (BUILT_IN.has(name)) mistakes.add(path, 'is built in: give your key another name', { at: 'key' });
    else rules.set(name, input === undefined ? { from: 'code' } : readKey(input, path, mistakes));
  }
  return rules;
}

function readKey(input: Sound<KeyInput>, path: Path, mistakes: MistakeList): KeyRule {
  if (input === 'code' || input === 'everyone') return { from: input };
  if (input === 'ip') return { from: 'ip', ipv6Subnet: 56 };
  const { header, ip } = input;
  if ((header === undefined) === (ip === undefined) && !mistakes.isDamaged(path)) {
    mistakes.add(path, 'must have either header or ip', { at: 'missing' });
  }
  return header === undefined ? { from: 'ip', ipv6Subnet: ip?.ipv6Subnet ?? 56 } : { from: 'header', header };
}

/** Returns the names of keys, each of which has to be known. */
export function readKeyNames(
  input: Sound<KeyNamesInput>,
  path: Path,
  keys: ReadonlyMap<string, KeyRule>,
  mistakes: MistakeList,
): readonly string[] {
  const isList = typeof input !== 'string';
  const names = isList ? input : [input];
  const known = names.map((name, i) => {
    if (name === undefined || keys.has(name)) return name;
    const near = nearest(name, keys.keys());
    const cure = near === undefined ? `define it in keys, or use one of ${[...keys.keys()].join(', ')}` : `use ${near}`;
    mistakes.addValue(isList ? [...path, i] : path, `must be the name of a key: ${cure}`, name, {
      code: 'SLUICE_POLICY_FILE',
    });
    return undefined;
  });
  refuseRepeated(known, path, mistakes);
  return known.filter((name) => name !== undefined);
}

function refuseRepeated(names: readonly (string | undefined)[], path: Path, mistakes: MistakeList): void {
  for (const [i, name] of names.entries()) {
    if (name === undefined || names.indexOf(name) === i) continue;
    mistakes.addValue([...path, i], 'stands in the list twice: remove one of the two', name);
  }
}
