import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';
import { startServer } from '#tests/support/server/test-server.ts';
import { fillDemo, startDemoDns } from './fill-demo.ts';

/**
 * `npm run demo`: the program on its usual ports and a data directory of its own, filled with an organization to look at. It ends with
 * Ctrl+C, and its data with it.
 */
const PORTS = {
  CONSOLE_PORT: '3000',
  EDGE_HTTP_PORT: '8080',
  EDGE_HTTPS_PORT: '8443',
  DNS_PORT: '5353',
  S3_PORT: '9000',
};

process.stdout.write('Starting, and filling an organization with sites, usage and invoices…\n');
await ensureCurrentBuilds(process.cwd());
const asked = Object.entries(PORTS).map(([name, port]) => [name, process.env[name] ?? port]);
const { dns, settings } = await startDemoDns();
const server = await startServer({
  ...Object.fromEntries(asked),
  PROCESSES: 'auto',
  ...settings,
  SITE_PICTURES: 'auto',
  LOG_LEVEL: 'warn',
});
const end = async () => {
  await server.close();
  await dns.close();
  process.exit(0);
};
process.once('SIGINT', end);
process.once('SIGTERM', end);
try {
  const { email, password, organizationId } = await fillDemo(server, dns);
  process.stdout.write(
    [
      '',
      `  Open      ${server.consoleUrl}/${organizationId}`,
      `  Email     ${email}`,
      `  Password  ${password}`,
      '',
      'Ctrl+C ends it and removes its data.',
      '',
    ].join('\n'),
  );
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  await server.close();
  process.exit(1);
}
