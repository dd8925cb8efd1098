import { textbook } from '@sluice/test-kit/textbook/textbook';
import { startOnExpress, startOnFastify } from './nest-host.js';

textbook('Nest on Express', startOnExpress);

// `npm run proof -- suites` runs it, too: the guard is the same on both platforms.
if (process.env.SLUICE_SUITES === 'full') textbook('Nest on Fastify', startOnFastify);
