import { join } from 'node:path';
import { describe } from '@jest/globals';
import { programSuite } from '../../shared/test/program-suite.js';

describe('The program over fetch', () => programSuite(join(__dirname, '../src/main.ts')));
