import { Document, isMap, isScalar, type Pair, type YAMLMap } from 'yaml';
import type { Conversion, ConvertedLimit, ConvertedPolicy, Note } from './conversion.js';
import { UNLIMITED } from './tiers.js';

/** The width of comments, without their indentation. */
const WIDTH = 110;

const INTRODUCTION =
  'Read the lines that begin with "differs" and "left out" before you use this file: they say where it decides differently ' +
  'from the original, and what it lacks. Then try it on a log: sluice replay.';

/** Writes a conversion as a policy file. Each note is a comment in front of the part that it is about. */
export function writePolicyFile(conversion: Conversion, origin: string): string {
  const { keys, tiers, customers, policies } = conversion;
  const document = new Document({ version: 1, enforcement: 'on' });
  document.commentBefore = commentOf([
    ' yaml-language-server: $schema=./node_modules/@sluice/config/policy.schema.json',
    ...wrapped(`Converted from ${origin} (${conversion.product}) by sluice from. ${INTRODUCTION}`),
    ...conversion.notes.flatMap(linesOf),
  ]);
  const root = document.contents as unknown as YAMLMap;
  const add = (name: string, part: YAMLMap): void => {
    if (part.items.length > 0) root.add(document.createPair(name, part));
  };
  add(
    'keys',
    mapOf(document, keys, ({ rule }) => flow(document, rule)),
  );
  add(
    'tiers',
    mapOf(document, tiers, ({ limits }) => {
      const tier = document.createNode({}) as YAMLMap;
      for (const [name, spec] of limits)
        tier.add(document.createPair(name, spec === UNLIMITED ? 'unlimited' : flow(document, spec)));
      return tier;
    }),
  );
  add(
    'customers',
    mapOf(document, customers, ({ tier }) => flow(document, { tier })),
  );
  add(
    'policies',
    mapOf(document, new Map(policies.map((policy) => [policy.name, policy])), (policy) => policyNode(document, policy)),
  );
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function mapOf<Part extends { readonly notes: readonly Note[] }>(
  document: Document,
  parts: ReadonlyMap<string, Part>,
  nodeOf: (part: Part) => unknown,
): YAMLMap {
  const map = document.createNode({}) as YAMLMap;
  for (const [name, part] of parts) {
    const pair = document.createPair(name, nodeOf(part));
    commentPair(pair, part.notes);
    map.add(pair);
  }
  return map;
}

function policyNode(document: Document, policy: ConvertedPolicy): YAMLMap {
  const { match, key, defaultTier, limits, onStoreError, allowList } = policy;
  const node = document.createNode({}) as YAMLMap;
  if (match) {
    const { path, methods } = match;
    const one = typeof path === 'object' ? listOrOne(path) : path;
    node.add(
      document.createPair(
        'match',
        flow(document, { ...(one !== undefined && { path: one }), ...(methods && { methods }) }),
      ),
    );
  }
  node.add(document.createPair('key', flow(document, listOrOne(key))));
  if (defaultTier) node.add(document.createPair('tier', flow(document, { from: 'customers', default: defaultTier })));
  node.add(
    document.createPair(
      'limits',
      limits.map((limit) => limitNode(document, limit)),
    ),
  );
  if (allowList) node.add(document.createPair('allowList', flow(document, allowList)));
  if (onStoreError) node.add(document.createPair('onStoreError', onStoreError));
  return node;
}

function limitNode(document: Document, { name, spec, key, enforce, notes }: ConvertedLimit): unknown {
  const node = flow(document, {
    name,
    ...(spec ?? { tier: true }),
    ...(key && { key: listOrOne(key) }),
    ...(enforce !== undefined && { enforce }),
  });
  if (isMap(node) && notes.length > 0) node.commentBefore = commentOf(notes.flatMap(linesOf));
  return node;
}

const listOrOne = (names: readonly string[]): unknown => (names.length === 1 ? names[0] : names);

function flow(document: Document, value: unknown): unknown {
  return document.createNode(value, { flow: true });
}

function commentPair({ key }: Pair, notes: readonly Note[]): void {
  if (isScalar(key) && notes.length > 0) key.commentBefore = commentOf(notes.flatMap(linesOf));
}

const linesOf = ({ kind, text }: Note): string[] => wrapped(`${kind}: ${text}`);

const commentOf = (lines: readonly string[]): string => lines.join('\n');

/** Breaks text between words. Whatever could end a comment, or move a terminal's cursor, becomes a question mark. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?').split(' ')) {
    if (line !== '' && line.length + word.length > WIDTH) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
