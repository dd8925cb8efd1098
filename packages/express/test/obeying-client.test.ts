import { obeyingClient } from '@sluice/test-kit/obeying-client';
import express5 from 'express';
import express4 from 'express4';
import { startOn } from './express-host.js';

// Both take a request to the limiter in the same way.
obeyingClient('Express 4', startOn(express4), 4);
obeyingClient('Express 5', startOn(express5), 15);
