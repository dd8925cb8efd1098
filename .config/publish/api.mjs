// Compares what the main entry of each package declares with what is committed in `api`, so that no change of it goes unseen:
// whoever changes it writes it anew by `npm run api`, and a reader of the change sees what users get.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportOf } from './declarations.mjs';
import { published } from './published.mjs';
import { stage } from './stage.mjs';

const FOLDER = fileURLToPath(new URL('api', import.meta.url));

/** Returns the reports by the names of their files. The packages have to be staged. */
function reports() {
  const all = published().map((unit) => [`${unit.name}.txt`, reportOf(unit)]);
  return new Map(all.filter(([, report]) => report !== undefined));
}

/** Returns the lines of one text that another one has not. */
const linesWithout = (text, other) => {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
};

/** Returns what the packages that are staged declare in another way than what is committed. */
export function apiFaults() {
  const made = reports();
  const names = new Set([...made.keys(), ...(existsSync(FOLDER) ? readdirSync(FOLDER) : [])]);
  return [...names].flatMap((name) => {
    const path = join(FOLDER, name);
    const [before, now] = [existsSync(path) ? readFileSync(path, 'utf8') : '', made.get(name) ?? ''];
    if (before === now) return [];
    const gone = linesWithout(before, now).map((line) => `\n- ${line}`);
    const added = linesWithout(now, before).map((line) => `\n+ ${line}`);
    return [`api: ${name} is not what the code has. \`npm run api\` writes it.${[...gone, ...added].join('')}`];
  });
}

if (process.argv[1] === import.meta.filename) {
  await stage();
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [name, report] of reports()) writeFileSync(join(FOLDER, name), report);
}
