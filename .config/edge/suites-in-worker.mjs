import { runSuites } from './suite.mjs';

export default {
  fetch: async () => Response.json(await runSuites()),
};
