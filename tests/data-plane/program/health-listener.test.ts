import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { machineProcessesSchema } from '#server/services/operator/schema.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { ensureDebianPackages } from '#tests/support/runner/debian-packages.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

const METRICS_TOKEN = 'a token of sixteen or more';
let server: TestServer;
let healthAddress: string;

beforeAll(async () => {
  const port = await freePort();
  healthAddress = `http://127.0.0.1:${port}`;
  server = await startTestServer({
    PROCESSES: 'auto',
    EDGE_PROCESSES: '2',
    BILLING_MODE: 'off',
    ACCESS_LOG: 'edge',
    HEALTH_PORT: String(port),
    METRICS_TOKEN,
  });
});
afterAll(() => server.close());

it('a machine serves its health on a port of its own, with every process and its metrics', async () => {
  expect((await fetch(`${healthAddress}/healthz`)).status).toBe(200);
  const ready = await pollUntil(
    async () => (await fetch(`${healthAddress}/readyz`)).json(),
    // A role is named once its process has started it.
    ({ status, checks }) => status === 'ok' && 'jobs' in checks,
  );
  const processes = { console: 'ok', dns: 'ok', 'edge-1': 'ok', 'edge-2': 'ok', jobs: 'ok', s3: 'ok' };
  const checks = { database: 'ok', store: 'ok', dns: 'ok', edge: 'ok', jobs: 'ok', s3: 'ok' };
  expect(ready).toEqual({ status: 'ok', checks, processes });
  const authorization = `Bearer ${METRICS_TOKEN}`;
  const figures = await (await fetch(`${healthAddress}/metrics`, { headers: { authorization } })).text();
  for (const name of Object.keys(processes)) {
    expect(figures, name).toMatch(new RegExp(`^process_cpu_seconds_total{process="${name}"}`, 'm'));
  }
  expect(figures).toContain('portage_dependency_up{dependency="database"');
});

it('has every metric that the alerts and the dashboard use', async () => {
  const authorization = `Bearer ${METRICS_TOKEN}`;
  const figures = await (await fetch(`${healthAddress}/metrics`, { headers: { authorization } })).text();
  const known = new Set([...figures.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const folder = join(import.meta.dirname, '..', '..', '..', 'docs', 'monitoring');
  for (const file of ['alerts.yml', 'dashboard.json']) {
    const text = await readFile(join(folder, file), 'utf8');
    const named = [...text.matchAll(/\b(?:portage|process)_[a-z0-9_]+/g)].map(([name]) => name);
    expect(named.length, file).toBeGreaterThan(8);
    for (const name of named)
      expect(known, `${file}: ${name}`).toContain(name.replace(/_(count|bucket)$/, ''));
  }
});

it('has alert rules and metrics that Prometheus itself accepts', async () => {
  ensureDebianPackages(['prometheus']);
  const rules = join(import.meta.dirname, '..', '..', '..', 'docs', 'monitoring', 'alerts.yml');
  const checked = await promisify(execFile)('promtool', ['check', 'rules', rules]);
  expect(checked.stdout).toMatch(/SUCCESS: \d+ rules found/);
  const authorization = `Bearer ${METRICS_TOKEN}`;
  const figures = await (await fetch(`${healthAddress}/metrics`, { headers: { authorization } })).text();
  const linted = promisify(execFile)('promtool', ['check', 'metrics']);
  // What prom-client adds about Node itself is named against Prometheus's advice.
  const ours = figures.split('\n').filter((line) => !/\bnodejs_/.test(line));
  linted.child.stdin?.end(`${ours.join('\n')}\n`);
  expect((await linted).stderr).toBe('');
});

it('shows metrics to no one without the token, and nothing else to anyone', async () => {
  expect((await fetch(`${healthAddress}/metrics`)).status).toBe(403);
  for (const path of ['/', '/login', '/api/v1/sites', '/healthz/x']) {
    expect((await fetch(`${healthAddress}${path}`)).status, path).toBe(404);
  }
});

// Last, because the program stays stopped.
it('a machine reports its processes to the others, until it is stopped', async () => {
  const db = openDatabase(`sqlite:${join(server.dataDir, 'portage.sqlite')}`, { isReadOnly: true });
  onTestFinished(() => db.destroy());
  const reported = async () => {
    const rows = await db.selectFrom('machines').select('processes').execute();
    const processes = rows.flatMap((row) => machineProcessesSchema.parse(JSON.parse(row.processes)));
    return processes.map(({ name }) => name).toSorted();
  };
  await pollUntil(reported, (names) => names.length > 0);
  expect(await reported()).toEqual(['console', 'dns', 'edge-1', 'edge-2', 'jobs', 's3']);
  await server.stop();
  expect(await reported()).toEqual([]);
});
