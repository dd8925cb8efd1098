// Serves the applications of the recipe, with more routes behind its limit.

import { ticks } from 'answers';
import { serve } from 'h3';
import { app as proxied } from './proxied.mjs';
import { app } from './recipe.mjs';
import { app as slots } from './slots.mjs';

app.get('/teapot', () => new Response('short and stout', { status: 418 }));
app.get('/broken', () => {
  throw new Error('broken');
});
app.post('/echo', (event) => event.req.text());
slots.get('/slots', () => ticks());

const appOf = ({ pathname, search }) => (search === '?proxied' ? proxied : pathname === '/slots' ? slots : app);
const fetch = (request) => appOf(new URL(request.url)).fetch(request);
const server = serve({ fetch }, { hostname: '127.0.0.1', port: Number(process.env.PORT), silent: true });
await server.ready();
