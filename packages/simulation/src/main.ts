import { mutantsCommand } from './mutants/mutants-command.js';
import { simulateCommand } from './search/command.js';

// Whoever reads what is printed has gone, as `head` does. That is no finding.
process.stdout.on('error', () => process.exit(2));

// The command `npm run simulate`. What follows `--mutants` is for another command.
const [, , ...args] = process.argv;
const mutants = args.indexOf('--mutants');
process.exitCode =
  mutants < 0
    ? await simulateCommand(args, (line) => console.log(line))
    : await mutantsCommand(args.slice(mutants + 1));
