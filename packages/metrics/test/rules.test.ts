import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { parse } from 'yaml';
import { spell } from '../dashboards/spelling.js';

const PROMTOOL = debianProgram('promtool');
const FOLDER = join(__dirname, '../prometheus');

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
}

interface RuleTest {
  readonly name: string;
  readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts: readonly object[] }[];
}

function parsed(file: string): unknown {
  return parse(readFileSync(join(FOLDER, file), 'utf8'));
}

const promtool = (...args: string[]) => promisify(execFile)(PROMTOOL, args, { cwd: FOLDER });

/** Each file of rules, with the page that explains its alerts, and what they are. */
const FILES = [
  {
    name: 'sluice',
    page: 'watching-limits.md',
    severities: {
      SluiceManyRefusals: 'warning',
      SluiceDegraded: 'critical',
      SluiceBreakerOpen: 'critical',
      SluiceStoreSlow: 'warning',
      SluiceKeysEvicted: 'warning',
      SluiceKeysNearMaximum: 'warning',
      SluiceCriticalShed: 'critical',
      SluiceLoadShed: 'warning',
      SluiceNearLimit: 'info',
      SluiceWouldRefuse: 'info',
      SluicePolicyReloadFailed: 'warning',
      SluicePolicyRevisionsDiffer: 'warning',
      SluiceEnforcementOff: 'warning',
    },
  },
  {
    name: 'sluice-server',
    page: 'watching-the-service.md',
    severities: {
      SluiceServerDown: 'critical',
      SluiceServerUndecided: 'critical',
      SluiceServerSlow: 'warning',
      SluiceServerUnknownPolicy: 'critical',
      SluiceServerErrors: 'warning',
    },
  },
];

describe.each(FILES)('The rules of $name for Prometheus', ({ name, page, severities }) => {
  const { groups } = parsed(`${name}.rules.yml`) as { groups: readonly { readonly rules: readonly Rule[] }[] };
  const { tests } = parsed(`${name}.rules.test.yml`) as { tests: readonly RuleTest[] };
  const rules = groups.flatMap((group) => group.rules);
  const alerts = rules.flatMap(({ alert, labels }) => (alert === undefined ? [] : [[alert, labels?.severity]]));

  it('are valid, and do in their unit tests what they say', async () => {
    const { stdout } = await promtool('check', 'rules', '--lint=all', '--lint-fatal', `${name}.rules.yml`);
    expect(stdout).toContain(`${rules.length} rules found`);
    await promtool('test', 'rules', `${name}.rules.test.yml`);
  });

  it('have these alerts', () => {
    expect(Object.fromEntries(alerts)).toEqual(severities);
  });

  it.each(alerts)('are explained: %s', (alert) => {
    expect(readFileSync(join(FOLDER, '../docs', page), 'utf8')).toContain(`\n### ${alert}\n\n_`);
  });

  it.each(alerts)('have a case in which %s fires, and one in which it is silent', (alert) => {
    const cases = tests
      .map(({ alert_rule_test: own = [] }) => own.filter(({ alertname }) => alertname === alert))
      .filter((own) => own.length > 0);
    const fires = (own: (typeof cases)[number]): boolean => own.some((one) => one.exp_alerts.length > 0);
    expect(cases.map(fires).sort()).toEqual([false, true]);
  });

  it.each(rules.map(({ record, alert, expr }) => [record ?? alert, expr]))(
    'read in %s only metrics of the catalogue',
    (_name, expr = '') => {
      expect(spell(expr, 'prometheus')).toBe(expr);
    },
  );
});
