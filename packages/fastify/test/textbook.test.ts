import { textbook } from '@sluice/test-kit/textbook/textbook';
import { start } from './fastify-host.js';

textbook('Fastify 5', start);
