import { sheddingSuite } from '@sluice/test-kit/shedding-suite';
import express5 from 'express';
import express4 from 'express4';
import { startSheddingOn } from './shedding-host.js';

sheddingSuite('Express 4', startSheddingOn(express4));
sheddingSuite('Express 5', startSheddingOn(express5));
