import { runSuites } from './suite.mjs';

export default {
  fetch: async ({ url }) => Response.json(await runSuites(new URL(url).searchParams.getAll('suite'))),
};
