// Makes the reference from the docstrings: a page for each entry that users import. TypeDoc needs a compiler with an API, which that of
// the repository has not, so that it has one of its own. An export or a member without a docstring is a mistake.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, Converter, ReflectionKind } from 'typedoc';
import { aliasMembers } from './alias-members.mjs';
import { API, apiFileOf } from './collect.mjs';
import { ReferencePages } from './reference-page.mjs';
import { ROOT } from './repository.mjs';

/** The entries of the packages that are published: their names, as users import them, and their sources. */
function entries() {
  return readdirSync(`${ROOT}packages`).flatMap((folder) => {
    const {
      name,
      private: isPrivate,
      exports = {},
    } = JSON.parse(readFileSync(`${ROOT}packages/${folder}/package.json`, 'utf8'));
    if (isPrivate) return [];
    return Object.entries(exports)
      .filter(([subpath, target]) => target['@sluice/source'] && !subpath.includes('*'))
      .map(([subpath, target]) => ({
        name: name + subpath.slice(1),
        source: `packages/${folder}/${target['@sluice/source'].slice(2)}`,
      }));
  });
}

/** The exports of all entries, as TypeDoc reads them. */
async function readEntries() {
  const app = await Application.bootstrap({
    entryPoints: entries().map(({ source }) => ROOT + source),
    tsconfig: fileURLToPath(new URL('tsconfig.json', import.meta.url)),
    // The compiler of the repository has checked all of it.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    sort: ['source-order'],
    logLevel: 'Error',
  });
  const membersOfAliases = new Map();
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.kind === ReflectionKind.TypeAlias)
      membersOfAliases.set(reflection, aliasMembers(context, reflection));
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc could not read the sources');
  return { project, membersOfAliases };
}

/** What has to have a docstring. */
const DOCUMENTED =
  ReflectionKind.Function |
  ReflectionKind.Class |
  ReflectionKind.Interface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Variable |
  ReflectionKind.Enum |
  ReflectionKind.Property |
  ReflectionKind.Method |
  ReflectionKind.Accessor;

/** Whether it has a docstring: of its own, of each of its calls, or of what it is a part of, if that is written in place. */
function hasDocstring(reflection) {
  if (reflection.hasComment()) return true;
  const calls = [...(reflection.signatures ?? []), reflection.getSignature].filter(Boolean);
  if (calls.length > 0 && calls.every((call) => call.hasComment())) return true;
  // `readonly checks: { readonly allowed: number }`: the docstring of `checks` says what is in it, as that of a function says what a
  // parameter is.
  const holder = reflection.parent?.kind === ReflectionKind.TypeLiteral ? reflection.parent.parent : undefined;
  return (
    holder?.kindOf(ReflectionKind.SomeSignature | ReflectionKind.Parameter) ||
    (holder !== undefined && hasDocstring(holder))
  );
}

/** Every export and member that lacks a docstring, with the place of its source. */
function undocumented({ project, membersOfAliases }) {
  const exports = project
    .getReflectionsByKind(DOCUMENTED)
    .filter((reflection) => !reflection.inheritedFrom && !reflection.flags.isExternal && !hasDocstring(reflection))
    .map((reflection) => `${reflection.getFullName()} (${reflection.sources?.[0]?.fileName}) has no docstring`);
  const members = [...membersOfAliases].flatMap(([alias, list]) =>
    list.filter(({ comment }) => !comment).map(({ name }) => `${alias.getFullName()}.${name} has no docstring`),
  );
  return [...exports, ...members];
}

/** Writes a page for each entry. */
function writePages({ project, membersOfAliases }) {
  const pages = new ReferencePages(project, entries(), membersOfAliases);
  rmSync(API, { recursive: true, force: true });
  for (const { name, text } of pages.all()) {
    const file = API + apiFileOf(name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  writeFileSync(`${API}index.md`, pages.index());
}

const read = await readEntries();
writePages(read);
const mistakes = undocumented(read);
for (const mistake of mistakes) console.error(mistake);
if (mistakes.length > 0) process.exitCode = 1;
