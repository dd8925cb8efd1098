// Ends at SIGTERM, with two lines that it has not written yet.
import process from 'node:process';
import { openLog } from '../../src/program/log.js';

const { log, close } = openLog('info');
setInterval(() => {}, 1000);
process.once('SIGTERM', () => {
  // The first of them is on its way when the program ends.
  log.info('a line');
  log.info('the last line');
  close();
  process.exit(0);
});
log.info('started');
