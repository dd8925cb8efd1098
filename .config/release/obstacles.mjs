// What keeps the packages from being published now. As long as there is any of it, nothing is published.

/** The first version that a workflow publishes is the second one: npm trusts it only with a package that exists. */
const BY_HAND = 'The first time, the owner does it by hand.';

function ofOwner({ repository, isPublished }) {
  return [
    ...(repository === '' ? ['.config/publish/owner.json names no repository. The owner sets it.'] : []),
    ...(isPublished
      ? []
      : ['By .config/publish/owner.json no package is on npm, and so say all pages. The owner changes it.']),
  ];
}

function ofVersions(versions, notes) {
  const different = [...new Set(Object.values(versions))];
  return [
    ...(notes.length > 0 ? [`${notes.length} notes have no version. \`npm run release:version\` makes one.`] : []),
    ...(different.length > 1 ? [`The packages have different versions: ${different.join(', ')}.`] : []),
  ];
}

/** GitHub gives the address to jobs that may ask for a token of their own, and the name of what was pushed to all. */
function ofWorkflow(versions, { ACTIONS_ID_TOKEN_REQUEST_URL: asksAt, GITHUB_REF: pushed }) {
  if (!asksAt) return [`Only the workflow of releases publishes. ${BY_HAND}`];
  const wanted = [...new Set(Object.values(versions))].map((version) => `refs/tags/v${version}`);
  return wanted.includes(pushed) ? [] : [`The workflow runs for ${pushed}, and the packages are ${wanted.join(', ')}.`];
}

/**
 * Returns what keeps packages from being published.
 *
 * @param now
 * @param now.owner - What the owner has set.
 * @param now.notes - The notes that no version has yet.
 * @param now.versions - The version of each package, by its name.
 * @param now.env - The environment of the process.
 * @returns {string[]}
 */
export const obstacles = ({ owner, notes, versions, env }) => [
  ...ofOwner(owner),
  ...ofVersions(versions, notes),
  ...ofWorkflow(versions, env),
];
