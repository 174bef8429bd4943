import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIdentityTokens } from '#server/identity-tokens/check-identity-token.ts';
import { listVersions } from '#server/services/deployments/list-versions.ts';
import { addPublisher } from '#server/services/publishers/add-publisher.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startCiIssuer } from '#tests/support/identity/ci-issuer.ts';
import { removeFolder } from '#tests/support/remove-folder.ts';
import { startConsoleServer } from '#tests/support/server/console-server.ts';
import { startFaultyProxy } from '#tests/support/server/faulty-proxy.ts';
import { runCli } from '#tests/support/server/run-cli.ts';

/** A runner of GitHub or Forgejo: asked for an identity token for an audience, it has one signed. */
async function startRunner(sign: (audience: string | null) => Promise<string>, failuresFirst = 0) {
  let failures = failuresFirst;
  const server = createServer(async (request, response) => {
    failures -= 1;
    if (failures >= 0) return void response.writeHead(503).end();
    const isRun = request.headers.authorization === 'Bearer of-the-run';
    const audience = new URL(request.url ?? '/', 'http://runner').searchParams.get('audience');
    response.statusCode = isRun ? 200 : 401;
    response.end(isRun ? JSON.stringify({ value: await sign(audience) }) : '{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A listening server has an address and a port.
  const { port } = server.address() as AddressInfo;
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-run',
  };
}

async function prepare() {
  const { app, baseUrl } = await startConsoleServer();
  const issuer = await startCiIssuer(baseUrl);
  app.config.ciIssuers = [issuer.issuer];
  app.identityTokens = createIdentityTokens({
    issuers: [issuer.issuer],
    audience: baseUrl,
    now: Date.now,
  });
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const folder = await mkdtemp(join(tmpdir(), 'portage-run-'));
  onTestFinished(() => removeFolder(folder));
  await writeFile(join(folder, 'index.html'), '<h1>from a run</h1>');
  const trust = (rule: { branch?: string; may_publish?: boolean } = {}) =>
    addPublisher(context, { site_id: site.id, issuer: issuer.issuer, repository: 'rivers/site', ...rule });
  const deploy = (environment: Record<string, string>, ...more: string[]) =>
    runCli(['deploy', folder, '--site', 'blog', ...more], { PORTAGE_URL: baseUrl, ...environment });
  return { baseUrl, context, issuer, site, trust, deploy };
}

describe('a CI run without a stored secret', () => {
  it('deploys with its identity token, and the history names the repository', async () => {
    const { context, issuer, site, trust, deploy } = await prepare();
    await trust();
    const asked: (string | null)[] = [];
    const runner = await startRunner((audience) => {
      asked.push(audience);
      return issuer.sign();
    });
    const run = await deploy(runner);
    expect(run).toMatchObject({ code: 0, stderr: expect.not.stringContaining('ptgsk_') });
    expect(asked).toEqual([context.app.config.publicUrl]);
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items).toMatchObject([{ is_current: true, created_by: 'rivers/site main' }]);
    const gitlab = await deploy({ PORTAGE_ID_TOKEN: await issuer.sign() });
    expect(gitlab.code).toBe(0);
  });

  it('outlasts a moment in which its runner or the console does not answer', async () => {
    const { baseUrl, issuer, trust, deploy } = await prepare();
    await trust();
    const runner = await startRunner(() => issuer.sign(), 1);
    let failures = 0;
    const proxyUrl = await startFaultyProxy(baseUrl, ({ url }) => {
      if (!url?.endsWith('/exchange')) return 'pass';
      failures += 1;
      return failures > 4 ? 'pass' : { status: 503, headers: { 'retry-after': '0' } };
    });
    const run = await deploy({ ...runner, PORTAGE_URL: proxyUrl });
    expect(run.code, run.stderr).toBe(0);
    expect(failures).toBe(5);
  });

  it('is told what to do when it is not trusted, and ends with 3', async () => {
    const { issuer, trust, deploy } = await prepare();
    await trust();
    const other = await deploy({ PORTAGE_ID_TOKEN: await issuer.sign({ ref: 'refs/heads/feature' }) });
    expect(other.code).toBe(3);
    expect(other.stderr).toContain('repository rivers/site, branch feature');
    expect(other.stderr).toContain('Deploy from CI');
    const runner = await startRunner(() => issuer.sign());
    const denied = await deploy({ ...runner, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of another' });
    expect(denied).toMatchObject({ code: 3, stderr: expect.stringContaining('it answered 401') });
    const nothing = await deploy({});
    expect(nothing).toMatchObject({ code: 3, stderr: expect.stringContaining('PORTAGE_PUBLIC_KEY') });
  });

  it('that may only create previews changes nothing that is live', async () => {
    const { context, issuer, site, trust, deploy } = await prepare();
    await trust({ branch: '*', may_publish: false });
    const token = () => issuer.sign({ ref: 'refs/pull/7/merge' });
    const refused = await deploy({ PORTAGE_ID_TOKEN: await token() });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('previews only') });
    expect((await deploy({ PORTAGE_ID_TOKEN: await token() }, '--no-publish')).code).toBe(0);
    const { items } = await listVersions(context, { site_id: site.id });
    expect(items.every(({ is_current }) => !is_current)).toBe(true);
  });
});
