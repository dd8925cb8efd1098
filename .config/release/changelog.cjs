// How a note becomes part of a changelog: as it is written. Changesets loads this file.

/** The text of one note, for each package that it names. */
const getReleaseLine = async ({ summary }) => {
  const [first, ...others] = summary.trim().split('\n');
  return [`- ${first}`, ...others.map((line) => `  ${line}`.trimEnd())].join('\n');
};

/** All packages have one version, so that a package that depends on another one says nothing about it. */
const getDependencyReleaseLine = async () => '';

module.exports = { getReleaseLine, getDependencyReleaseLine };
