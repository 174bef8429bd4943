import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Deployer,
  type DeploySite,
  registerDeployer,
  requireStatus,
} from '#tests/support/client/deploy-client.ts';
import { createSecureVisitor, leafOf, type SecureVisitor } from '#tests/support/client/secure-visitor.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { startTestServer, type TestServer } from '#tests/support/server/test-server.ts';

let server: TestServer;
let deployer: Deployer;
let site: DeploySite;
let visitor: SecureVisitor;

beforeAll(async () => {
  server = await startTestServer();
  deployer = await registerDeployer(server);
  site = await deployer.createSite('Local');
  await site.deploy({ 'index.html': '<h1>Over https</h1>' });
  const root = await fetch(`${server.consoleUrl}/api/v1/certificate-authority.pem`);
  expect(root.headers.get('content-type')).toBe('application/x-pem-file');
  visitor = await createSecureVisitor(Number(server.environment.EDGE_HTTPS_PORT), await root.text());
});

afterAll(async () => {
  await visitor.close();
  await server.close();
});

const untilTrusted = (hostname: string) =>
  pollUntil(
    () => visitor.verify(hostname).catch(() => null),
    (shown) => shown !== null,
  ).then((shown) => shown ?? '');

describe('an installation as it is after npm start', () => {
  it('has https for every site, for clients that trust the root that anyone can download', async () => {
    const shown = await untilTrusted(site.host);
    expect(shown).toContain('Verify return code: 0 (ok)');
    expect(leafOf(shown).subjectAltName).toBe('DNS:*.sites.localhost');
    expect(await visitor.fetch(site.host)).toBe('<h1>Over https</h1>');
  });

  it('gives a new hostname of this machine its certificate automatically, and renews nothing that is fresh', async () => {
    const hostname = 'shop.localhost';
    const created = await deployer.person('POST', '/api/v1/cdn/endpoints', {
      json: { hostname, origin_type: 'site', site_id: site.id },
    });
    const { bundle } = JSON.parse(requireStatus(created, 201).text);
    expect(leafOf(await untilTrusted(hostname)).subjectAltName).toBe(`DNS:${hostname}`);
    expect(await visitor.fetch(hostname)).toBe('<h1>Over https</h1>');
    const before = leafOf(await visitor.verify(hostname)).serialNumber;
    requireStatus(await deployer.person('POST', `/api/v1/bundles/${bundle.id}/issue`), 200);
    expect(leafOf(await visitor.verify(hostname)).serialNumber).toBe(before);
  });

  it('keeps its root across a restart', async () => {
    const read = async () =>
      new X509Certificate(
        await (await fetch(`${server.consoleUrl}/api/v1/certificate-authority.pem`)).text(),
      );
    const before = await read();
    expect(await server.stop()).toBe(0);
    await server.start();
    expect((await read()).fingerprint256).toBe(before.fingerprint256);
    expect(await untilTrusted('shop.localhost')).toContain('Verify return code: 0 (ok)');
  });
});
