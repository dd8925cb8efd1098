// Sends the traffic of several customers until Ctrl+C: node examples/observed-api/traffic.mjs [http://localhost:3000]
import { setTimeout as pause } from 'node:timers/promises';

const [url = 'http://localhost:3000'] = process.argv.slice(2);

/** How a customer calls: so many requests a second, which rise and fall within a period. */
const CUSTOMERS = [
  { key: 'acme', path: '/v1/quotes', perSecond: 1.5, swing: 0.8, periodS: 60 },
  { key: 'globex', path: '/v1/quotes', perSecond: 8, swing: 0.5, periodS: 90 },
  { key: 'initech', path: '/v1/quotes', perSecond: 14, swing: 0.3, periodS: 120 },
  { key: 'mallory', path: '/v1/quotes', perSecond: 2, swing: 0, periodS: 60 },
  { key: 'a visitor', path: '/search?q=rate', perSecond: 1, swing: 1, periodS: 80 },
  ...Array.from({ length: 4 }, () => ({ key: 'an analyst', path: '/exports', perSecond: 1, swing: 0.9, periodS: 70 })),
  { key: 'a guesser', path: '/login', method: 'POST', perSecond: 0.5, swing: 1, periodS: 100 },
];

const counts = new Map();

async function callOn({ key, path, method = 'GET', perSecond, swing, periodS }) {
  for (;;) {
    const rate = perSecond * (1 + swing * Math.sin((performance.now() / 1000 / periodS) * 2 * Math.PI));
    await pause(1000 / Math.max(rate, 0.05));
    const status = await fetch(url + path, { method, headers: { 'x-api-key': key } }).then(
      (response) => response.status,
      () => 'no answer',
    );
    const place = `${key} ${status}`;
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
}

for (const customer of CUSTOMERS) callOn(customer);
setInterval(() => console.table(Object.fromEntries([...counts].sort())), 10_000);
