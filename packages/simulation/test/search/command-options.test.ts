import { describe, expect, it } from '@jest/globals';
import { commandOptions, HELP } from '../../src/search/command-options.js';

describe('commandOptions', () => {
  it('reads what to play, and how', () => {
    const args = ['--seeds', '10-20', '--events', '1_000_000', '--faults', 'server-loss', '--workers', '2', '--stop'];
    expect(commandOptions(args)).toMatchObject({
      from: 10,
      to: 20,
      events: 1_000_000,
      faults: 'server-loss',
      workers: 2,
      stop: true,
    });
    expect(commandOptions(['--seeds', '7'])).toMatchObject({ from: 7 });
    expect(commandOptions(['--tape', 'a.json', '--story'])).toMatchObject({
      tape: 'a.json',
      story: true,
      shrink: false,
    });
    expect(commandOptions([])).toMatchObject({ seed: undefined, seconds: undefined, workers: 1, shrinkSeconds: 20 });
  });

  it.each([
    [['--faults', 'gremlins'], '--faults must be one of none, network,'],
    [['--seed', 'x'], '--seed must be a whole number, got x'],
    [['--seeds', '1-'], '--seeds must be two numbers, such as 1-1000, got 1-'],
    [['--nonsense'], "Unknown option '--nonsense'"],
    [['file.json'], 'Unexpected argument'],
  ])('refuses %j', (args, message) => {
    expect(() => commandOptions(args)).toThrow(message);
  });

  it('describes every option in its help', () => {
    const options = [
      'seed',
      'seeds',
      'seconds',
      'processor-seconds',
      'events',
      'workers',
      'shrink-seconds',
      'faults',
      'tape',
      'folder',
      'base',
    ];
    for (const option of [...options, 'pieces', 'until', 'beside', 'story', 'shrink', 'stop', 'list', 'mutants'])
      expect(HELP).toContain(`--${option} `);
  });
});
