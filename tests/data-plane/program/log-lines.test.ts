import { expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { registerDeployer } from '#tests/support/client/deploy-client.ts';
import { homeOf, signIn } from '#tests/support/client/sign-in.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { runOperator } from '#tests/support/server/run-operator.ts';
import { startTestServer } from '#tests/support/server/test-server.ts';
import { makeTemporaryFolder } from '#tests/support/temporary-folder.ts';

it('the log records migrations, refused deploys and operators who sign in, once each', async () => {
  const dataDir = await makeTemporaryFolder({});
  const server = await startTestServer({ DATA_DIR: dataDir });
  try {
    const linesWith = (message: string) =>
      server
        .output()
        .split('\n')
        .filter((line) => line.includes(message))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const [migrated] = linesWith('the schema of the database is up to date');
    expect(migrated?.migrations).toContain('0001-foundation');

    const deployer = await registerDeployer(server);
    const site = await deployer.createSite('refused');
    const files = { '../up.html': { sha256: 'a'.repeat(64), size: 1 } };
    await site.client('POST', `${site.path}/versions`, { json: { files } });
    await site.client('GET', `${site.path}/versions/none`);
    const refused = await pollUntil(
      async () => linesWith('deploy refused'),
      (lines) => lines.length > 0,
    );
    expect(refused).toHaveLength(1);
    expect(refused[0]).toMatchObject({
      code: 'unsafe_path',
      method: 'POST',
      path: `${site.path}/versions`,
      address: '127.0.0.0',
    });
    const byTrpc = await fetch(`${server.consoleUrl}/api/trpc/deployments.open`, {
      method: 'POST',
      headers: { authorization: site.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ json: { organization_id: homeOf(deployer.signedIn), site_id: site.id, files } }),
    });
    expect(byTrpc.status).toBe(400);
    const [, again] = await pollUntil(
      async () => linesWith('deploy refused'),
      (lines) => lines.length > 1,
    );
    expect(again).toMatchObject({ path: 'deployments.open', site_id: site.id, code: 'unsafe_path' });
    // An input that cannot be parsed names nothing, and is still refused.
    const unread = await fetch(`${server.consoleUrl}/api/trpc/deployments.open`, {
      method: 'POST',
      headers: { authorization: site.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ json: {}, meta: { values: [['map', { 0: [['Date']] }]] } }),
    });
    expect(unread.status).toBe(400);

    const { account } = deployer.signedIn;
    const asOperator = await runOperator(['people', 'operator', account.email, 'manage'], server.environment);
    expect(asOperator.code).toBe(0);
    expect(linesWith('an operator has signed in')).toEqual([]);
    await signIn(new BrowserClient(server.consoleUrl), account);
    const [signedIn] = await pollUntil(
      async () => linesWith('an operator has signed in'),
      (lines) => lines.length > 0,
    );
    expect(signedIn?.operator).toEqual({ login: account.login, access: 'manage' });

    await server.stop();
    await server.start();
    expect(linesWith('the schema of the database is up to date')).toHaveLength(1);
  } finally {
    await server.close();
  }
});
