import { writeFile } from 'node:fs/promises';
import { ensureConsoleBuild } from '#server/console/build-console.ts';
import { createLogger } from '#server/logger.ts';
import { registerAndSignIn } from '#tests/support/sign-in.ts';
import { startTestServer } from '#tests/support/test-server.ts';
import { benchConsole } from './bench-console.ts';
import { benchDeploy } from './bench-deploy.ts';
import { benchDns } from './bench-dns.ts';
import { benchHostnames } from './bench-hostnames.ts';
import { benchMetering } from './bench-metering.ts';
import { type BenchResult, formatResults } from './bench-result.ts';
import { benchUsage } from './bench-usage.ts';
import { benchEdge } from './edge-versus-nginx.ts';
import { benchPageWeight } from './page-weight.ts';

/** `npm run bench [-- out.json]`: measures the targets of design/experience.md on this machine and prints them. */
const print = (text: string) => process.stdout.write(`${text}\n`);
await ensureConsoleBuild(process.cwd(), createLogger('warn'));

const results: BenchResult[] = [];
const server = await startTestServer({
  LOG_LEVEL: 'warn',
  API_REQUESTS_PER_MINUTE: '1000000000',
  CHANGES_PER_HOUR: '1000000000',
});
try {
  const person = await registerAndSignIn(server.consoleUrl);
  print('weighing the first page…');
  results.push(...(await benchPageWeight(server, person)));
  print('measuring deploys…');
  results.push(...(await benchDeploy(server, person)));
  print('measuring the console…');
  results.push(...(await benchConsole(server, person)));
} finally {
  await server.close();
}
print('looking for hostnames among a million…');
results.push(...(await benchHostnames()));
print('measuring the edge…');
results.push(...(await benchEdge()));
print('measuring what counting costs…');
results.push(...(await benchMetering()));
print('measuring usage statistics among ten million hours…');
results.push(...(await benchUsage()));
print('measuring the name server…');
results.push(...(await benchDns()));

print(`\n${formatResults(results)}`);
const output = process.argv[2];
if (output) await writeFile(output, `${JSON.stringify(results, null, 2)}\n`);
