// Serves the handlers of the recipe.
import { createServer } from 'node:http';
import { createApp, createRouter, toNodeListener } from 'h3';
import own from './own.mjs';
import things from './recipe.mjs';
import slots from './slots.mjs';

const router = createRouter().get('/api/things', things).use('/api/own', own).get('/api/slots', slots);
createServer(toNodeListener(createApp().use(router))).listen(Number(process.env.PORT), '127.0.0.1');
