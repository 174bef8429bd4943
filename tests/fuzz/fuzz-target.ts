import { ALLOCATOR_SETTINGS } from '#server/supervisor/allocator-settings.ts';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { type DeploySite, registerDeployer } from '#tests/support/client/deploy-client.ts';
import { restClient } from '#tests/support/client/rest-client.ts';
import {
  type NewAccount,
  registerAndSignIn,
  sessionCookieOf,
  signIn,
} from '#tests/support/client/sign-in.ts';
import { ensureCurrentBuilds } from '#tests/support/runner/current-builds.ts';
import { startServer, type TestServer } from '#tests/support/server/test-server.ts';
import { type ProcessWatch, watchProcesses } from './process-watch.ts';

/** A signed-in person whose access an attack uses. */
export interface Attacker {
  cookie: string;
  organizationId: string;
  /** Of a credential that can access the attacker's own site. */
  authorization: string;
  /** Existing ids and names. */
  known: string[];
}

/** A running program, its content, and the faults found in it. */
export interface FuzzTarget {
  server: TestServer;
  watch: ProcessWatch;
  httpsPort: number;
  /** Of the site that the well-behaved visitor visits; it is never deployed to. */
  host: string;
  /** A large file of that site. */
  largePath: string;
  /** Sites that an attacker deploys to. */
  deploySites: DeploySite[];
  attacker(): Attacker;
  /** After the attacker has ended their own session, signs them in again. */
  renewAttacker(): Promise<void>;
  /** Records what must not happen. */
  report(fault: string): void;
  faults: readonly string[];
  close(): Promise<void>;
}

const LARGE_BYTES = 3 * 1024 ** 2;
const FAULTS_MAX = 200;
/** Rate limits are not what is tested here: they would keep most of an attack away from its target. */
const SETTINGS = { API_REQUESTS_PER_MINUTE: '1000000000', CHANGES_PER_HOUR: '1000000000', LOG_LEVEL: 'info' };

/** Starts the program with a monitor inside, a site to visit, and an attacker with a customer's access. */
export async function startFuzzTarget(): Promise<FuzzTarget> {
  // The program builds what is missing in a child process, whose end would be mistaken for a crash.
  await ensureCurrentBuilds(process.cwd());
  const watch = await watchProcesses();
  // As a program in one process is to be started.
  const server = await startServer({ ...SETTINGS, ...ALLOCATOR_SETTINGS, ...watch.environment });
  const deployer = await registerDeployer(server);
  const visited = await deployer.createSite('visited');
  await visited.deploy({
    'index.html': '<h1>visited</h1>',
    'docs/index.html': 'docs',
    'large.bin': Buffer.alloc(LARGE_BYTES, 'x'),
    _headers: '/*\n  X-Robots: all\n/docs/*\n  Cache-Control: no-store\n',
    _redirects: '/old/* /docs/:splat 301\n/old2 https://example.ca/ 302\n',
  });
  const deploySites = [await deployer.createSite('one'), await deployer.createSite('two')];
  const { account } = await registerAndSignIn(server.consoleUrl);
  let attacker = await signInAttacker(server, account);

  const faults: string[] = [];
  return {
    server,
    watch,
    httpsPort: Number(server.environment.EDGE_HTTPS_PORT),
    host: visited.host,
    largePath: '/large.bin',
    deploySites,
    attacker: () => attacker,
    async renewAttacker() {
      attacker = await signInAttacker(server, account);
    },
    report(fault) {
      if (faults.length < FAULTS_MAX) faults.push(`${new Date().toISOString()} ${fault}`);
    },
    faults,
    async close() {
      await server.close();
      await watch.close();
    },
  };
}

async function signInAttacker(server: TestServer, account: NewAccount): Promise<Attacker> {
  const browser = new BrowserClient(server.consoleUrl);
  await signIn(browser, account);
  const cookie = sessionCookieOf(browser);
  const ask = restClient(server.consoleUrl, { cookie, origin: server.consoleUrl });
  const { organization_id: organizationId } = JSON.parse(
    (await ask('GET', '/api/v1/organization/context')).text,
  ) as { organization_id: string };
  const name = `attacked-${Date.now().toString(36)}`;
  const site = JSON.parse((await ask('POST', '/api/v1/sites', { json: { name } })).text) as { id: string };
  const scopes = [{ resource_type: 'site', resource_id: site.id, permissions: ['read', 'write'] }];
  const created = JSON.parse(
    (await ask('POST', '/api/v1/credentials', { json: { name: 'attacker', scopes } })).text,
  ) as { credential: { id: string; public_key: string }; secret_key: string };
  const { credential, secret_key } = created;
  return {
    cookie,
    organizationId,
    authorization: `Bearer ${credential.public_key}:${secret_key}`,
    known: [organizationId, site.id, credential.id, name, account.login, account.email],
  };
}
