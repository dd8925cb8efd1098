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
    expect(commandOptions(['--seeds', '1_000-2_000'])).toMatchObject({ from: 1000, to: 2000 });
    expect(commandOptions(['--seeds', '7'])).toMatchObject({ from: 7, to: undefined });
    expect(commandOptions(['--tape', 'a.json', '--story'])).toMatchObject({
      tape: 'a.json',
      story: true,
      shrink: false,
    });
    expect(commandOptions([])).toMatchObject({ seed: undefined, seconds: undefined, workers: 1, shrinkSeconds: 20 });
  });

  it.each([
    [['--faults', 'gremlins'], '--faults must be one of none, network,'],
    [['--seed', 'x'], '--seed must be a whole number of at least 0 and at most 4294967295, got x'],
    [['--seeds', '1-'], '--seeds must be a whole number of at least 0 and at most 4294967295, got '],
    [['--seeds', '5-1'], '--seeds must be two numbers with the smaller one first, such as 1-1000, got 5-1'],
    [['--seeds', '1-2-3'], '--seeds must be two numbers'],
    [['--seed', '4294967296'], '--seed must be a whole number of at least 0 and at most 4294967295, got 4294967296'],
    [['--seed', '1e3'], '--seed must be a whole number'],
    [['--seed', '-1'], "'--seed' argument is ambiguous"],
    [['--workers', '0'], '--workers must be a whole number of at least 1 and at most 64, got 0'],
    [['--seconds', '0'], '--seconds must be a whole number of at least 1, got 0'],
    [['--seed', '1', '--tape', 'a.json'], '--seed and --tape exclude each other'],
    [['--root', '.', '--base', 'HEAD'], '--root and --base exclude each other'],
    [['--tape', 'a.json', '--seconds', '5'], '--seconds and --tape exclude each other'],
    [['--tape', 'a.json', '--faults', 'all'], '--faults and --tape exclude each other'],
    [['--seed', '1', '--pieces', 'b.json'], '--pieces and --seed exclude each other'],
    [['--story'], '--story needs --seed or --tape'],
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
