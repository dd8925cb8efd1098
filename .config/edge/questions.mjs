// What a Worker is asked: the same wherever it runs.

const ADDRESS = '203.0.113.7';

const get = (path, address = ADDRESS) => [path, { headers: { 'cf-connecting-ip': address } }];

/** From each question to the answer that is expected of it. */
const QUESTIONS = [
  [get('/'), 200],
  [get('/'), 200],
  [get('/'), 429],
  [get('/', '2001:db8::ffff:1'), 200],
  [get('/', '::ffff:203.0.113.7'), 429],
  [get('/hono'), 200],
  [get('/hono'), 200],
  [get('/hono'), 429],
  [get('/slots'), 200],
  [get('/slots'), 200],
  // The address of a proxy, of which there is a warning.
  [['/', { headers: { 'cf-connecting-ip': '10.0.0.1', 'x-forwarded-for': ADDRESS } }], 200],
];

export const EXPECTED = QUESTIONS.map(([, status]) => status);

/** Asks everything, one after the other. Returns the status, the header fields that Sluice sets, and the body of each answer. */
export async function askAll(fetch) {
  const answers = [];
  for (const [[path, init]] of QUESTIONS) {
    const response = await fetch(`http://worker.example${path}`, init);
    // The type of a handler's text is a matter of the runtime.
    const ours =
      response.status === 200 ? /^(x-)?ratelimit/ : /^((x-)?ratelimit|retry-after|content-type|cache-control)/;
    const fields = [...response.headers].filter(([name]) => ours.test(name));
    answers.push({ status: response.status, fields, body: await response.text() });
  }
  return answers;
}
