import { drawSequence } from './sequence.js';

/** The way of a request whose balancer asks the decision service. */
export const drawBalancer = (): string =>
  drawSequence({
    title: 'A balancer asks Sluice before the application gets the request',
    participants: ['Client', 'Balancer', 'Sluice', 'Redis', 'Application'],
    messages: [
      { from: 'Client', to: 'Balancer', label: 'POST /orders' },
      {
        from: 'Balancer',
        to: 'Sluice',
        label: 'address, method, path, an id, and the fields that policies read. No body',
      },
      { from: 'Sluice', to: 'Redis', label: 'one call for all limits of the policy' },
      { from: 'Redis', to: 'Sluice', label: 'verdicts', isAnswer: true },
    ],
    cases: [
      {
        when: 'allowed',
        messages: [
          { from: 'Sluice', to: 'Balancer', label: '204 and the RateLimit fields', isAnswer: true },
          { from: 'Balancer', to: 'Application', label: 'POST /orders with its body' },
          { from: 'Application', to: 'Balancer', label: 'its answer', isAnswer: true },
          { from: 'Balancer', to: 'Client', label: 'its answer, and the RateLimit fields', isAnswer: true },
        ],
      },
      {
        when: 'refused',
        messages: [
          { from: 'Sluice', to: 'Balancer', label: '429, Retry-After and a problem', isAnswer: true },
          { from: 'Balancer', to: 'Client', label: 'the same', isAnswer: true },
        ],
      },
      {
        when: 'no decision within 100 ms',
        messages: [
          { from: 'Balancer', to: 'Application', label: 'fail-open: POST /orders' },
          { from: 'Balancer', to: 'Client', label: 'fail-closed: 503 instead', isAnswer: true },
        ],
      },
    ],
  });
