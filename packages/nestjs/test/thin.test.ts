import { join } from 'node:path';
import { atMostCodeLines } from '../../core/test/code-lines.js';

atMostCodeLines(join(__dirname, '../src'), 207);
