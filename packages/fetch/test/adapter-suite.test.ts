import { adapterSuite } from '@sluice/conformance';
import { start } from './fetch-host.js';

adapterSuite('fetch', start, { handlerEnds: true });
