import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { debianProgram } from '@sluice/test-kit/debian/debian-program';
import { PrometheusServer } from '@sluice/test-kit/debian/prometheus-server';
import { RedisServer } from '@sluice/test-kit/redis/redis-server';
import { chromium } from 'playwright-core';
import { prometheusFiles } from '../../../packages/metrics/test/real/observe-files.js';
import { bundle, start, stopAll } from '../../shared/test/program.js';
import { type FilePanel, fill, type Span } from './board-data.js';
import { withModels } from './models.js';
import { type Draw, page } from './page.js';

/** This runs as a bundle in `dist`. */
const HERE = join(__dirname, '..');
const DASHBOARD = join(HERE, '../../../packages/metrics/grafana/sluice.json');
const PICTURE = join(HERE, '../../../packages/metrics/docs/dashboard.png');
const POLICIES = join(HERE, '../policies/sluice.yaml');

/** What happens while the picture is taken, in seconds from the first traffic. */
const ENFORCED_S = 60;
const FROZEN_S = 120;
const THAWED_S = 140;
const END_S = 190;

/**
 * Runs the example over a real Redis and with a real Prometheus for three minutes, and draws what Prometheus has then, in the
 * panels of the dashboard. Meanwhile the search limit is enforced by a change of the policy file, and Redis hangs for a while.
 */
export async function picture(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-picture-'));
  const policies = join(folder, 'sluice.yaml');
  copyFileSync(POLICIES, policies);
  const ends: (() => unknown)[] = [stopAll, () => rmSync(folder, { recursive: true })];
  try {
    const redis = await RedisServer.start();
    ends.push(() => redis.stop());
    Object.assign(process.env, { REDIS_URL: `redis://127.0.0.1:${redis.port}`, POLICIES: policies, METRICS_PORT: '0' });
    const { hints, url } = await start(await bundle(join(HERE, '../src/main.ts')));
    const metricsPort = Number(/localhost:(\d+)\/metrics/.exec(hints.join('\n'))?.[1]);
    const models = await withModels(metricsPort);
    ends.push(() => models.stop());
    const { port } = models;
    const prometheus = await PrometheusServer.start(
      prometheusFiles({ metricsPort: port, everyMs: 1000, minuteMs: 15_000 }),
    );
    ends.push(() => prometheus.stop());
    const traffic = spawn(process.execPath, [join(HERE, '../traffic.mjs'), url], { stdio: 'ignore' });
    ends.push(() => traffic.kill());

    const startMs = Date.now();
    const until = (second: number): Promise<void> => pause(startMs + second * 1000 - Date.now());
    await until(ENFORCED_S);
    writeFileSync(policies, readFileSync(policies, 'utf8').replace('enforce: 0', 'enforce: 1'));
    await until(FROZEN_S);
    await redis.freeze();
    await until(THAWED_S);
    await redis.thaw();
    await until(END_S);
    await photograph(await drawn(prometheus.url, { startMs, endMs: Date.now() }));
  } finally {
    for (const end of ends) await end();
  }
}

async function drawn(prometheusUrl: string, span: Span): Promise<string> {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { readonly panels: readonly FilePanel[] };
  const [vega, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
  const draw: Draw = (spec) => {
    const { spec: parsed } = compile(spec as Parameters<typeof compile>[0]);
    return new vega.View(vega.parse(parsed), { renderer: 'none' }).toSVG();
  };
  return page(await fill(panels, prometheusUrl, span), span, draw);
}

/** Takes a picture of the whole page. */
async function photograph(html: string): Promise<void> {
  const executablePath = debianProgram('chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage({ viewport: { width: 1424, height: 800 } });
    await tab.setContent(html);
    await tab.screenshot({ path: PICTURE, fullPage: true });
  } finally {
    await browser.close();
  }
}
