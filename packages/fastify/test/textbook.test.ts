import { textbook } from '../../core/test/textbook/textbook.js';
import { start } from './fastify-host.js';

textbook('Fastify 5', start);
