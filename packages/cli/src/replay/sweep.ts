import { type PolicyFile, readPolicyFile } from '@sluice/config';
import { isMap, isScalar, isSeq, type Pair, parseDocument } from 'yaml';
import { usageError } from '../exit-code.js';
import type { ReplayedPolicy } from './replayed-policy.js';
import type { Sweep } from './sweep-counts.js';

/** How many numbers are tried if the command line does not list them. */
const POINTS = 10;
const MOST_POINTS = 32;

const OPTIONS = ['limit', 'capacity', 'refillRate', 'leakRate'];
const SPEC = /^(?:([^.=]+)\.)?([^.=]+)\.([A-Za-z]+)=(.+)$/;
const RANGE = /^(\d+)\.\.(\d+)$/;

/** A number in a policy file that is tried with other values. */
interface Place {
  /** The tier or the policy that has it. */
  readonly owner: string;
  readonly tier: string;
  /** Where it begins and ends in the text. */
  readonly from: number;
  readonly to: number;
  readonly current: number;
}

/**
 * Prepares what `--sweep minute.limit=30..600` asks for: the policies of the file with each number in turn. The number is
 * changed in the text of the file, which is then read again, so that each variant is checked as any file is.
 *
 * @param policiesOf - makes the policies of a file
 * @throws CommandError 2 if the file has no such limit, or more than one, or does not accept a number
 */
export function prepareSweep(
  spec: string,
  text: string,
  policiesOf: (file: PolicyFile) => readonly ReplayedPolicy[],
): readonly Sweep[] {
  const [, owner, limit, option, numbers] = SPEC.exec(spec) ?? [];
  if (limit === undefined || option === undefined || numbers === undefined || !OPTIONS.includes(option)) {
    throw usageError(`--sweep ${spec}: write it as minute.limit=30..600, or minute.limit=30,60,120`);
  }
  const place = onlyPlace(placesOf(text, limit, option), owner, spec, limit);
  const values = valuesOf(numbers, place.current, spec);
  const variants = values.map((quota) => ({ quota, policies: policiesOf(fileWith(text, place, quota, spec)) }));
  const names = variants[0]?.policies.flatMap(({ name, limits }) => (limits.includes(limit) ? [name] : [])) ?? [];
  const affected = place.tier === '' ? names.filter((name) => name === place.owner) : names;
  return affected.map((policy) => ({
    policy,
    limit,
    tier: place.tier,
    current: place.current,
    variants: variants.map(({ quota, policies }) => ({
      quota,
      policy: policies.find(({ name }) => name === policy) as ReplayedPolicy,
    })),
  }));
}

function fileWith(text: string, { from, to }: Place, quota: number, spec: string): PolicyFile {
  const { file, mistakes } = readPolicyFile(text.slice(0, from) + quota + text.slice(to));
  if (file) return file;
  throw usageError(`--sweep ${spec}: the file would be wrong with ${quota}: ${mistakes[0].message}`);
}

/** Finds every place that has this option of a limit of this name. */
function placesOf(text: string, limit: string, option: string): readonly Place[] {
  const { contents } = parseDocument(text);
  const places: Place[] = [];
  const add = (owner: string, tier: string, words: unknown): void => {
    const number = memberOf(words, option);
    if (!isScalar(number) || typeof number.value !== 'number' || !number.range) return;
    const [from, to] = number.range;
    places.push({ owner, tier, from, to, current: number.value });
  };
  for (const [tier, limits] of membersOf(memberOf(contents, 'tiers'))) add(tier, tier, memberOf(limits, limit));
  for (const [policy, rule] of membersOf(memberOf(contents, 'policies'))) {
    const limits = memberOf(rule, 'limits');
    for (const own of isSeq(limits) ? limits.items : []) {
      if (textOf(memberOf(own, 'name')) === limit) add(policy, '', own);
    }
  }
  return places;
}

/** Returns the members of a mapping by their names. */
function membersOf(node: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (!isMap(node)) return [];
  return (node.items as Pair[]).map(({ key, value }) => [textOf(key) ?? '', value]);
}

function memberOf(node: unknown, name: string): unknown {
  return membersOf(node).find(([own]) => own === name)?.[1];
}

/** Returns text as it is written: the name `007` is no number. */
function textOf(node: unknown): string | undefined {
  if (!isScalar(node)) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}

function onlyPlace(places: readonly Place[], owner: string | undefined, spec: string, limit: string): Place {
  const found = owner === undefined ? places : places.filter((place) => place.owner === owner);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (!only) throw usageError(`--sweep ${spec}: the policy file has no limit of this name with a number`);
  const names = found.map((place) => `${place.owner}.${limit}`).join(', ');
  throw usageError(`--sweep ${spec}: the policy file has several: say which one, of ${names}`);
}

/** Returns the numbers, in rising order. A range gets steps by equal factors, and the number of the file. */
function valuesOf(text: string, current: number, spec: string): readonly number[] {
  const range = RANGE.exec(text);
  const listed = range ? steps(Number(range[1]), Number(range[2])) : text.split(',').map(Number);
  const [least = 0, most = 0] = [Math.min(...listed), Math.max(...listed)];
  const all = range && current > least && current < most ? [...listed, current] : listed;
  const values = [...new Set(all)].sort((a, b) => a - b);
  const areGood = values.length > 1 && values.every((value) => Number.isSafeInteger(value) && value > 0);
  if (areGood && values.length <= MOST_POINTS) return values;
  throw usageError(`--sweep ${spec}: needs 2 to ${MOST_POINTS} whole numbers above 0, as 30..600 or 30,60,120`);
}

/** Each step is the same factor larger, rounded to two figures. */
function steps(least: number, most: number): number[] {
  if (most <= least || least <= 0) return [];
  const factor = (most / least) ** (1 / (POINTS - 1));
  const between = Array.from({ length: POINTS - 2 }, (_, i) => rounded(least * factor ** (i + 1)));
  return [least, ...between.filter((value) => value > least && value < most), most];
}

function rounded(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}
