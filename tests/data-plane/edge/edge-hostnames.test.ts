import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEdge } from '#server/edge/create-edge.ts';
import { makeFallbackCertificate } from '#server/edge/tls/fallback-certificate.ts';
import { pollEdgeChanges } from '#server/jobs/poll-edge-changes.ts';
import { deleteEndpoint } from '#server/services/cdn/delete-endpoint.ts';
import { updateEndpoint } from '#server/services/cdn/update-endpoint.ts';
import { issueDueCertificates } from '#server/services/certificates/issue-due-certificates.ts';
import { resumeOrganization } from '#server/services/operator/resume-organization.ts';
import { suspendOrganization } from '#server/services/operator/suspend-organization.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { inUnitOfWork } from '#server/services/shared/unit-of-work.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { markProven, withTwoSites } from '#tests/support/certificates/endpoints.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';
import { askHttp2, openHttp2, shownSerial } from './edge-secure-fixture.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * Two organizations with a site each, and an edge on both ports that learns of changes in the way given by
 * `by`.
 */
async function prepare(by: 'event' | 'polling' = 'event') {
  const world = await withTwoSites();
  const { app, context, site } = world;
  await deployTestFiles(context, site.id, { 'index.html': 'blog', 'big.bin': 'x'.repeat(3_000_000) });
  const edge = createEdge({
    ports: createEdgePorts(app),
    logger: app.logger,
    now: () => app.clock.now(),
    secureUrl: app.config.secureUrl,
    secure: {
      ticketSecret: app.sealer.deriveKey('edge session tickets'),
      defaultName: '-.sites.localhost',
      fallback: await makeFallbackCertificate(['*.sites.localhost']),
    },
  });
  const forget = (change: { site_id: string | null; hostname: string | null }) => {
    if (change.site_id) edge.invalidateSite(change.site_id);
    if (change.hostname) edge.invalidateHost(change.hostname);
  };
  if (by === 'event') app.edgeChanges.subscribe(forget);
  else cleanups.push(await pollEdgeChanges(app, forget, 5));
  cleanups.push(() => edge.close());
  const { server, secureServer } = edge;
  if (secureServer === null) throw new Error('there is no https port');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => secureServer.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { port: securePort } = secureServer.address() as AddressInfo;
  const job = {
    app,
    actor: { kind: 'job', name: 'issue-certificates' },
    requestId: '',
    address: '',
  } as const;
  return {
    ...world,
    securePort,
    ask: (hostname: string, path = '/') => askEdge(port, hostname, path, { headers: { host: hostname } }),
    askSecure: async (hostname: string, path = '/') => {
      const session = await openHttp2(securePort, hostname);
      try {
        return await askHttp2(session, path);
      } finally {
        session.close();
      }
    },
    issue: () => issueDueCertificates(job),
  };
}

describe('a hostname of this machine', () => {
  it('is served immediately, then over https only, as soon as its certificate is issued', async () => {
    const { ask, askSecure, claim, issue } = await prepare();
    expect((await ask('blog.localhost')).status).toBe(404);
    await claim('blog.localhost');
    expect((await ask('blog.localhost')).text).toBe('blog');
    await issue();
    const plain = await ask('blog.localhost', '/a?b=c');
    expect([plain.status, plain.headers.location]).toEqual([308, 'https://blog.localhost:8443/a?b=c']);
    const secure = await askSecure('blog.localhost');
    expect([secure.status, secure.body.toString()]).toEqual([200, 'blog']);
    expect((await askSecure('blog.localhost', '/big.bin')).body).toHaveLength(3_000_000);
  });

  it('shows its certificate in the next handshake, and a renewed one in the one after', async () => {
    const { app, securePort, claim, issue } = await prepare();
    await claim('blog.localhost');
    const fallback = await shownSerial(securePort, 'blog.localhost');
    const stored = async () =>
      (await app.db.selectFrom('certificate_bundles').select('serial_number').executeTakeFirstOrThrow())
        .serial_number;
    await issue();
    const first = await shownSerial(securePort, 'blog.localhost');
    expect(first).not.toBe(fallback);
    expect(first).toBe((await stored())?.toLowerCase());
    app.clock.advance(70 * 86_400_000);
    await issue();
    const renewed = await shownSerial(securePort, 'blog.localhost');
    expect(renewed).not.toBe(first);
    expect(renewed).toBe((await stored())?.toLowerCase());
  });

  it('follows a change of HSTS, of the origin, and its removal', async () => {
    const { ask, askSecure, claim, context, issue } = await prepare();
    const { id: endpoint_id } = await claim('blog.localhost');
    await issue();
    const told = async () => (await askSecure('blog.localhost')).headers['strict-transport-security'];
    expect(await told()).toBeUndefined();
    await updateEndpoint(context, { endpoint_id, hsts: 'year' });
    expect(await told()).toBe('max-age=31536000');
    await updateEndpoint(context, { endpoint_id, hsts: 'off' });
    expect(await told()).toBeUndefined();
    await updateEndpoint(context, {
      endpoint_id,
      origin_type: 'redirect',
      redirect_target: 'https://new.example.ca/base',
    });
    const moved = await askSecure('blog.localhost', '/a?b=c');
    expect([moved.status, moved.headers.location]).toEqual([301, 'https://new.example.ca/base/a?b=c']);
    await deleteEndpoint(context, { endpoint_id });
    expect((await askSecure('blog.localhost')).status).toBe(404);
    expect((await ask('blog.localhost')).status).toBe(404);
  });
});

describe('a hostname of the public DNS', () => {
  it('is not served before it is proven, for anyone', async () => {
    const { app, ask, askSecure, claim } = await prepare();
    const { id } = await claim('www.example.ca');
    expect((await ask('www.example.ca')).status).toBe(404);
    expect((await askSecure('www.example.ca')).status).toBe(404);
    await markProven(app, id);
    const change = { site_id: null, hostname: 'www.example.ca' };
    await inUnitOfWork(jobContext(app), async ({ tellEdges }) => tellEdges(change));
    expect((await ask('www.example.ca')).text).toBe('blog');
  });

  it('is also changed at an edge of another process, which polls the change log', async () => {
    const { ask, askSecure, claim, context, issue } = await prepare('polling');
    const status = async () => (await ask('blog.localhost')).status;
    expect(await status()).toBe(404);
    const { id: endpoint_id } = await claim('blog.localhost');
    await expect.poll(status, { timeout: 10_000 }).toBe(200);
    await issue();
    await expect.poll(status, { timeout: 10_000 }).toBe(308);
    expect((await askSecure('blog.localhost')).status).toBe(200);
    await deleteEndpoint(context, { endpoint_id });
    await expect.poll(status, { timeout: 10_000 }).toBe(404);
  });
});

describe('the organization of a hostname', () => {
  it('is suspended and resumed: its hostnames respond with 503 meanwhile, others continue', async () => {
    const { app, ask, askSecure, claim, claimElsewhere, context, redirect, stranger, theirSite } =
      await prepare();
    await deployTestFiles(stranger, theirSite.id, { 'index.html': 'shop' });
    await claim('blog.localhost');
    await redirect('old.localhost', 'https://new.example.ca');
    await claimElsewhere('shop.localhost');
    const statuses = async () => [
      (await ask('blog.localhost')).status,
      (await askSecure('blog.localhost')).status,
      (await ask('old.localhost')).status,
      (await ask('shop.localhost')).status,
    ];
    expect(await statuses()).toEqual([200, 200, 301, 200]);
    const operator = operatorContext(app);
    const organization_id = context.organization.id;
    await suspendOrganization(operator, { organization_id, reason: 'unpaid' });
    expect(await statuses()).toEqual([503, 503, 503, 200]);
    await resumeOrganization(operator, { organization_id });
    expect(await statuses()).toEqual([200, 200, 301, 200]);
  });
});

it('what is known is still served while the database is down: hosts, certificates and handshakes', async () => {
  const { app, ask, askSecure, claim, issue, redirect } = await prepare();
  await claim('blog.localhost');
  await redirect('old.localhost', 'https://new.example.ca');
  await issue();
  await askSecure('blog.localhost');
  await askSecure('old.localhost');
  await app.db.destroy();
  app.edgeChanges.announce({ site_id: null, hostname: 'blog.localhost' });
  app.clock.advance(120_000);
  expect((await askSecure('blog.localhost')).body.toString()).toBe('blog');
  expect((await askSecure('old.localhost')).status).toBe(301);
  expect((await ask('blog.localhost')).status).toBe(308);
  expect((await ask('never-seen.localhost')).status).toBe(503);
});
