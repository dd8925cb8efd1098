// The code of the recipes, as it stands on the page of frameworks.
import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../packages/fetch/docs/frameworks.md', import.meta.url), 'utf8');

/** Returns the recipes under a heading. */
export function recipesOf(heading) {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own] = section.split('\n## ');
  return Array.from(own.matchAll(/^```typescript\n([\s\S]*?)^```/gm), ([, code]) => code);
}
