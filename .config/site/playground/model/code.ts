import type { Sender } from './arrivals.js';
import { CONSTRUCTOR_OF, isShared, plainOptionsOf, wordsOf } from './describe.js';
import { namesOf, usesCosts } from './policy.js';
import type { LimitState, State } from './state.js';
import { Code, type Written, written } from './write-value.js';

/** What the code of a policy imports, and what it needs beside. */
class Imports {
  readonly names = new Set<string>(['rateLimit']);
  readonly lines = new Set<string>();

  /** Returns the name, and imports it. */
  use(name: string): string {
    this.names.add(name);
    return name;
  }

  toString(): string {
    const sorted = [...this.names].sort((a, b) => a.localeCompare(b, 'en'));
    return [...this.lines, `import { ${sorted.join(', ')} } from '@sluice/express';`].join('\n');
  }
}

/** Writes the code of an Express application that has these limits. */
export function codeOf(state: State, senders: readonly Sender[]): string {
  const imports = new Imports();
  const rules = new Map<string, string>();
  const names = namesOf(state.limits);
  const items = state.limits.map((form, i) => itemOf(form, names[i], imports, rules));
  const [only] = items;
  const options: Record<string, Written> =
    items.length === 1 && only && !(only instanceof Code)
      ? { ...(only as Record<string, Written>) }
      : { limits: items };
  if (usesCosts(state, senders)) {
    rules.set('costOf', `const costOf = (req: Request) => Number(req.get('x-units') ?? 1); // what a request costs`);
    options.cost = new Code('costOf');
  }
  if (state.limits.some(({ headroom }) => headroom > 0)) {
    rules.set(
      'priorityOf',
      `const priorityOf = (req: Request) => (req.path === '/pay' ? 'critical' : 'low'); // how much it matters`,
    );
    options.priority = new Code('priorityOf');
  }
  if (state.maxWait !== '') options.maxWait = state.maxWait;
  if (state.fields !== 'draft-11') options.standardHeaders = state.fields;
  if (!state.legacy) options.legacyHeaders = false;
  const usesRequest = [...rules.values()].some((rule) => rule.includes('Request'));
  const express = usesRequest ? `import express, { type Request } from 'express';` : `import express from 'express';`;
  const parts = [
    `${express}\n${imports}`,
    [...rules.values()].join('\n'),
    `const app = express();\napp.use(rateLimit(${written(options)}));`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A limit with nothing beside it stands in a list by itself. */
function itemOf(form: LimitState, name: string | undefined, imports: Imports, rules: Map<string, string>): Written {
  const words = wordsOf(form);
  const own: Record<string, Written> = name === undefined ? {} : { name };
  const beside = besideOf(form, imports, rules);
  const isPlain = form.algorithm === 'sliding-window' && Object.keys(words).length === 2;
  if (isPlain) return { ...own, ...words, ...beside };
  if (typeof words.window === 'object') imports.lines.add(`import '@sluice/core/calendars';`);
  const limit = new Code(`${imports.use(CONSTRUCTOR_OF[form.algorithm])}(${written({ ...own, ...words })})`);
  return { limit, ...beside };
}

function besideOf(form: LimitState, imports: Imports, rules: Map<string, string>): Record<string, Written> {
  const beside: Record<string, Written> = {};
  if (isShared(form)) beside.keyGenerator = new Code(`${imports.use('everyone')}()`);
  Object.assign(beside, plainOptionsOf(form));
  if (form.elastic > 0) {
    rules.set('calm', `const calm = ${imports.use('loopDelay')}(); // calm while the event loop is not late`);
    beside.elastic = { upTo: form.elastic, while: new Code('calm') };
  }
  if (form.headroom > 0) beside.headroom = { low: form.headroom / 100 };
  if (form.part > 0) {
    beside.guarantee = {
      limit: form.part,
      keyGenerator: new Code(`${imports.use('byIp')}()`),
      total: form.parts,
    };
    if (form.lend > 0) beside.lend = form.lend / 100;
  }
  return beside;
}
