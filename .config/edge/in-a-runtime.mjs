// Prints the results of the suites, and what the Worker answers, in the runtime that runs this. Arguments name suites.
import { askAll } from './questions.mjs';
import { runSuites } from './suite.mjs';
import worker from './worker.mjs';

const answers = await askAll((url, init) => worker.fetch(new Request(url, init)));
console.log(JSON.stringify({ ...(await runSuites(process.argv.slice(2))), answers }));
// Some runtimes would wait for timers.
process.exit();
