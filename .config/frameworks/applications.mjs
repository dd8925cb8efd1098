// The applications: each is made of recipes as they stand on the page, and of a folder with the rest of it.
import { recipesOf } from '../recipes-on-page.mjs';

const LIMIT = "rateLimit({ limit: 100, window: '1m' })";
const SLOTS = "rateLimit({ limits: [concurrency({ limit: 1, lease: '10m' })], store: new MemoryStore() })";
const HELLO = "Response.json({ hello: 'world' })";

/** Returns a recipe with another text in place of one that it has to have. */
function replaced(code, text, by) {
  if (!code.includes(text)) throw new Error(`a recipe has no ${text}: ${code}`);
  return code.replace(text, by);
}

/** Returns the recipe of a handler with an answer of its own. `request` is what it calls its request. */
const answering = (code, request = 'request') =>
  `import { own } from 'answers';\n${replaced(code, HELLO, `own(${request})`)}`;

/** Returns a recipe that limits how many requests are answered at once. */
const withSlots = (code) =>
  `import { concurrency, MemoryStore } from '@sluice/fetch';\n${replaced(code, LIMIT, SLOTS)}`;

/** Returns the recipe of a handler whose answers have no end. */
const ticking = (code) => `import { ticks } from 'answers';\n${replaced(withSlots(code), HELLO, 'ticks()')}`;

/** Returns the recipe of a route handler for the Edge Runtime of Next.js. */
const onTheEdge = (code) => `${code}\nexport const runtime = 'edge';\n`;

/** Returns the recipe of h3 with the address of the client behind proxies of the application. */
const behindProxies = (code) => `import { clientAddress } from '@sluice/fetch';
const addressOf = clientAddress({ trustProxy: ['127.0.0.0/8'] });
${replaced(code, 'event.req.ip', 'addressOf(event.req, event.req.ip)')}`;

const [h3, nitro] = recipesOf('h3 and Nitro');
const [h3v1, nitroMiddleware] = recipesOf('h3 1 and Nitro 2');
const [nextRoute, nextProxy] = recipesOf('Next.js');
const [svelteKit] = recipesOf('SvelteKit');
const [reactRouter, reactRouterLayout] = recipesOf('React Router');

/** How clients differ. By the address of their connection: all of the loopback network are this machine's. */
const CONNECTION = (i) => ({ localAddress: `127.0.0.${i}` });
/** By the field that a proxy sets. */
const REAL_IP = (i) => ({ headers: { 'x-real-ip': `203.0.113.${i}` } });
/** By the last address of a field. The client makes the first one up, another one each time. */
const FORWARDED = (i) => ({ headers: { 'x-forwarded-for': `${madeUpAddress()}, 203.0.113.${i}` } });

let madeUp = 0;
function madeUpAddress() {
  madeUp += 1;
  return `198.51.100.${madeUp % 256}`;
}

/** The paths of routes behind a limit. */
const behind = (prefix) => ({
  hello: `${prefix}/things`,
  teapot: `${prefix}/teapot`,
  broken: `${prefix}/broken`,
  echo: `${prefix}/echo`,
});

/** The paths of handlers that have a limit in them. */
const within = (prefix = '/api', echo = `${prefix}/echo`) => ({
  hello: `${prefix}/things`,
  teapot: `${prefix}/own?answer=teapot`,
  broken: `${prefix}/own?answer=broken`,
  echo,
  slots: `${prefix}/slots`,
});

const NITRO = {
  packages: ['nitro'],
  build: ['node_modules/nitro/dist/cli/index.mjs', 'build'],
  start: ['.output/server/index.mjs'],
  client: CONNECTION,
};

const NITRO_2 = {
  ...NITRO,
  packages: ['nitropack', 'h3'],
  home: 'nitropack',
  build: ['node_modules/nitropack/dist/cli/index.mjs', 'build'],
};

const NEXT = {
  packages: ['next', 'react', 'react-dom', '@types/react'],
  build: ['node_modules/next/dist/bin/next', 'build'],
  checksTypes: true,
  start: ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1'],
  client: REAL_IP,
};

/**
 * @typedef {object} Application
 * @property {string} title
 * @property {string} folder - with what is not on the page
 * @property {readonly string[]} packages - the framework first
 * @property {string} [home] - the package inside which its framework is
 * @property {Readonly<Record<string, string>>} recipes - code by the file that has it
 * @property {readonly string[]} [build] - the arguments of Node
 * @property {boolean} [checksTypes] - whether the build does it
 * @property {readonly string[]} start - the arguments of Node
 * @property {Readonly<Record<string, string>>} [env] - of the server
 * @property {(i: number) => object} client - what a request of a client has
 * @property {Readonly<Record<string, object>>} asked - the paths of each limit, and what its clients have if that is otherwise. `slots` where
 *   it learns of the end of a response
 */

/** @type {readonly Application[]} */
export const APPLICATIONS = [
  {
    title: 'h3',
    folder: 'h3',
    packages: ['h3'],
    recipes: { 'recipe.ts': h3, 'slots.ts': withSlots(h3), 'proxied.ts': behindProxies(h3) },
    start: ['main.mjs'],
    client: CONNECTION,
    asked: {
      middleware: { hello: '/', teapot: '/teapot', broken: '/broken', echo: '/echo', slots: '/slots' },
      'middleware behind a proxy': { hello: '/?proxied', client: FORWARDED },
    },
  },
  {
    ...NITRO,
    title: 'Nitro',
    folder: 'nitro',
    recipes: {
      'routes/api/things.ts': nitro,
      'routes/api/own.ts': answering(nitro, 'req'),
      'routes/api/slots.ts': ticking(nitro),
    },
    asked: { 'a route': within('/api', '/api/own') },
  },
  {
    title: 'h3',
    folder: 'h3-1',
    packages: ['h3'],
    home: 'nitropack',
    recipes: { 'recipe.ts': h3v1, 'own.ts': answering(h3v1), 'slots.ts': ticking(h3v1) },
    start: ['main.mjs'],
    client: CONNECTION,
    asked: { 'a handler': within('/api', '/api/own') },
  },
  {
    ...NITRO_2,
    title: 'Nitro',
    folder: 'nitro-2',
    recipes: {
      'routes/api/things.ts': h3v1,
      'routes/api/own.ts': answering(h3v1),
      'routes/api/slots.ts': ticking(h3v1),
    },
    asked: { 'a route': within('/api', '/api/own') },
  },
  {
    ...NITRO_2,
    title: 'Nitro',
    folder: 'nitro-2-middleware',
    recipes: { 'middleware/limit.ts': nitroMiddleware },
    asked: { middleware: behind('/api') },
  },
  {
    ...NEXT,
    title: 'Next.js',
    folder: 'next-route',
    recipes: {
      'app/api/things/route.ts': nextRoute,
      'app/api/own/route.ts': answering(nextRoute),
      'app/api/echo/route.ts': replaced(answering(nextRoute), 'GET', 'POST'),
      'app/api/slots/route.ts': ticking(nextRoute),
      'app/edge/things/route.ts': onTheEdge(nextRoute),
      'app/edge/own/route.ts': onTheEdge(answering(nextRoute)),
      'app/edge/echo/route.ts': onTheEdge(replaced(answering(nextRoute), 'GET', 'POST')),
      'app/edge/slots/route.ts': onTheEdge(ticking(nextRoute)),
    },
    asked: {
      'a route handler': within(),
      'a route handler of the Edge Runtime': within('/edge'),
    },
  },
  {
    ...NEXT,
    title: 'Next.js',
    folder: 'next-proxy',
    recipes: { 'proxy.ts': nextProxy },
    asked: { 'proxy.ts': behind('/api') },
  },
  {
    ...NEXT,
    title: 'Next.js',
    folder: 'next-proxy',
    recipes: { 'middleware.ts': replaced(nextProxy, 'function proxy', 'function middleware') },
    asked: { 'middleware.ts': behind('/api') },
  },
  {
    title: 'SvelteKit',
    folder: 'sveltekit',
    packages: ['@sveltejs/kit', '@sveltejs/adapter-node', '@sveltejs/vite-plugin-svelte', 'svelte', 'vite'],
    recipes: { 'src/recipe.ts': svelteKit, 'src/slots.ts': withSlots(svelteKit) },
    build: ['node_modules/vite/bin/vite.js', 'build'],
    start: ['build/index.js'],
    env: { ADDRESS_HEADER: 'x-forwarded-for', XFF_DEPTH: '1' },
    client: FORWARDED,
    asked: { 'hooks.server.ts': { ...behind('/api'), page: '/', slots: '/slots' } },
  },
  {
    title: 'React Router',
    folder: 'react-router',
    packages: [
      'react-router',
      '@react-router/dev',
      '@react-router/node',
      '@react-router/serve',
      'react',
      'react-dom',
      'isbot',
      'vite',
    ],
    recipes: {
      'app/things.ts': reactRouter,
      'app/own.ts': answering(reactRouter),
      'app/echo.ts': replaced(answering(reactRouter), 'loader', 'action'),
      'app/slots.ts': ticking(reactRouter),
      'app/limited.ts': reactRouterLayout,
      'app/limited-slots.ts': withSlots(reactRouterLayout),
    },
    build: ['node_modules/@react-router/dev/bin.js', 'build'],
    start: ['node_modules/@react-router/serve/bin.js', 'build/server/index.js'],
    client: REAL_IP,
    asked: {
      'a resource route': within(),
      'the middleware of a layout': { ...behind('/limited'), page: '/limited/page', slots: '/limited/slots' },
    },
  },
];
