import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { registerAndSignIn } from '#tests/support/client/sign-in.ts';
import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';
import { startServer } from '#tests/support/server/test-server.ts';
import { benchBilling } from './bench-billing.ts';
import { benchChanges } from './bench-changes.ts';
import { benchConsole } from './bench-console.ts';
import { benchDeploy } from './bench-deploy.ts';
import { benchDns } from './bench-dns.ts';
import { benchHostnames } from './bench-hostnames.ts';
import { benchLargeDeploys } from './bench-large-deploys.ts';
import { benchMetering } from './bench-metering.ts';
import { benchProgram } from './bench-program.ts';
import { type BenchResult, formatResults } from './bench-result.ts';
import { benchStorage } from './bench-storage.ts';
import { benchUsage } from './bench-usage.ts';
import { benchVisitors } from './bench-visitors.ts';
import { benchEdge } from './edge-versus-nginx.ts';
import { benchPageWeight } from './page-weight.ts';
import { recordResults } from './record-results.ts';

/** What is measured together, by the names of `--only` and the headings of docs/performance.md. */
const SECTIONS: Record<string, () => Promise<BenchResult[]>> = {
  visitors: benchVisitors,
  program: benchProgram,
  changes: benchChanges,
  edge: benchEdge,
  console: benchConsoleAndDeploys,
  deploys: benchLargeDeploys,
  hostnames: benchHostnames,
  statistics: benchUsage,
  counting: benchMetering,
  billing: benchBilling,
  storage: benchStorage,
  names: benchDns,
};

/**
 * `npm run bench [-- --only visitors,program] [--record] [--json out.json]`: measures the targets on this
 * machine.
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, record: { type: 'boolean' }, json: { type: 'string' } },
});
const chosen = values.only?.split(',') ?? Object.keys(SECTIONS);
await ensureCurrentBuilds(process.cwd());
const results: BenchResult[] = [];
for (const name of chosen) {
  const measure = SECTIONS[name];
  if (measure === undefined) throw new Error(`--only takes ${Object.keys(SECTIONS).join(', ')}`);
  process.stdout.write(`measuring: ${name}…\n`);
  const measured = await measure();
  results.push(...measured);
  // Without the programs that it needs, a part measures nothing.
  if (values.record && measured.length > 0) await recordResults(name, measured);
}
process.stdout.write(`\n${formatResults(results)}\n`);
if (values.json) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`);

async function benchConsoleAndDeploys(): Promise<BenchResult[]> {
  const server = await startServer({
    PROCESSES: 'auto',
    LOG_LEVEL: 'warn',
    API_REQUESTS_PER_MINUTE: '1000000000',
    CHANGES_PER_HOUR: '1000000000',
  });
  try {
    const person = await registerAndSignIn(server.consoleUrl);
    return [
      ...(await benchPageWeight(server, person)),
      ...(await benchDeploy(server, person)),
      ...(await benchConsole(server, person)),
    ];
  } finally {
    await server.close();
  }
}
