import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEdge } from '#server/edge/create-edge.ts';
import { pollEdgeChanges } from '#server/jobs/poll-edge-changes.ts';
import { resumeSite, suspendSite } from '#server/services/abuse/suspend-site.ts';
import { resumeOrganization } from '#server/services/operator/resume-organization.ts';
import { suspendOrganization } from '#server/services/operator/suspend-organization.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Two organizations with a site each, and an edge that learns of changes in the way given by `by`. */
async function prepare(by: 'event' | 'polling') {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const neighbour = await createTestPerson(app);
  const site = await createSite(person.context, { name: 'blog' });
  const other = await createSite(neighbour.context, { name: 'neighbour' });
  const files = {
    'index.html': 'blog',
    '404.html': 'own 404',
    'app.3f9a1c2b.js': 'script',
    _redirects: '/old / 301\n',
  };
  const { version_id } = await deployTestFiles(person.context, site.id, files);
  await deployTestFiles(neighbour.context, other.id, { 'index.html': 'neighbour' });
  const edge = createEdge({ ports: createEdgePorts(app), logger: app.logger });
  const forget = (change: { site_id: string | null }) => {
    if (change.site_id) edge.invalidateSite(change.site_id);
  };
  if (by === 'event') app.edgeChanges.subscribe(forget);
  else cleanups.push(await pollEdgeChanges(app, forget, 5));
  await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => edge.close());
  const { port } = edge.server.address() as AddressInfo;
  const ask = (label: string, path = '/', init: Parameters<typeof askEdge>[3] = {}) =>
    askEdge(port, `${label}.sites.localhost`, path, init);
  const organization_id = person.organization.id;
  const operator = operatorContext(app);
  return {
    ask,
    preview: `${version_id}--blog`,
    suspendSite: (reason = 'phishing: report 7') => suspendSite(operator, { site_id: site.id, reason }),
    resumeSite: () => resumeSite(operator, { site_id: site.id }),
    suspendVersion: () => suspendSite(operator, { site_id: site.id, version_id, reason: 'phishing' }),
    resumeVersion: () => resumeSite(operator, { site_id: site.id, version_id }),
    deploy: () => deployTestFiles(person.context, site.id, { 'index.html': 'mended' }),
    suspend: () => suspendOrganization(operator, { organization_id, reason: 'unpaid: invoice 7' }),
    resume: () => resumeOrganization(operator, { organization_id }),
  };
}

describe('the sites of a suspended organization', () => {
  it('serve a plain page at every address, not cacheable, and their files again afterwards', async () => {
    const { ask, preview, suspend, resume } = await prepare('event');
    const warm = async () => {
      expect((await ask('blog')).text).toBe('blog');
      expect((await ask(preview)).text).toBe('blog');
      expect((await ask('blog', '/old')).status).toBe(301);
      expect((await ask('blog', '/app.3f9a1c2b.js')).text).toBe('script');
    };
    await warm();
    // Twice: the second response comes from the edge's memory.
    await warm();
    await suspend();
    for (const label of ['blog', 'BLOG', preview]) {
      for (const path of ['/', '/old', '/missing', '/app.3f9a1c2b.js', '/?a=b']) {
        const response = await ask(label, path);
        expect([label, path, response.status]).toEqual([label, path, 503]);
        expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' });
        expect(response.text).toContain('This site is not available');
        expect(response.text).not.toMatch(/unpaid|invoice|blog/i);
      }
    }
    const french = await ask('blog', '/', { headers: { 'accept-language': 'fr-CA' } });
    expect(french.text).toContain('Ce site n’est pas disponible');
    expect(french.headers['content-language']).toBe('fr');
    const head = await ask('blog', '/', { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([503, 0]);
    const conditional = await ask('blog', '/', { headers: { 'if-none-match': '*' } });
    expect(conditional.status).toBe(503);
    expect((await ask('neighbour')).text).toBe('neighbour');
    await resume();
    await warm();
    await warm();
  });

  it('are recognized by an edge that never served them before', async () => {
    const { ask, suspend } = await prepare('event');
    await suspend();
    expect((await ask('blog')).status).toBe(503);
  });

  it('are also stopped and served again by an edge of another process, which polls the change log', async () => {
    const { ask, suspend, resume } = await prepare('polling');
    const status = async () => (await ask('blog')).status;
    expect(await status()).toBe(200);
    await suspend();
    await expect.poll(status, { timeout: 10_000 }).toBe(503);
    await resume();
    await expect.poll(status, { timeout: 10_000 }).toBe(200);
  });
});

describe('a suspended site', () => {
  it('serves nothing of its own, at its name and its previews, until it is reinstated', async () => {
    const { ask, preview, suspendSite, resumeSite } = await prepare('event');
    expect((await ask('blog')).text).toBe('blog');
    expect((await ask(preview)).text).toBe('blog');
    await suspendSite();
    for (const label of ['blog', preview]) {
      for (const path of ['/', '/old', '/app.3f9a1c2b.js']) {
        const response = await ask(label, path);
        expect([label, path, response.status]).toEqual([label, path, 503]);
        expect(response.text).not.toMatch(/phishing|blog/i);
      }
    }
    expect((await ask('neighbour')).text).toBe('neighbour');
    await resumeSite();
    expect((await ask('blog')).text).toBe('blog');
    expect((await ask(preview)).text).toBe('blog');
  });

  it('is also stopped by an edge of another process', async () => {
    const { ask, suspendSite } = await prepare('polling');
    expect((await ask('blog')).status).toBe(200);
    await suspendSite();
    await expect.poll(async () => (await ask('blog')).status, { timeout: 10_000 }).toBe(503);
  });
});

describe('a suspended version', () => {
  it('is served nowhere, while another version of the site is', async () => {
    const { ask, preview, suspendVersion, resumeVersion, deploy } = await prepare('event');
    expect((await ask('blog', '/app.3f9a1c2b.js')).text).toBe('script');
    await suspendVersion();
    expect([(await ask('blog')).status, (await ask(preview)).status]).toEqual([503, 503]);
    await deploy();
    expect((await ask('blog')).text).toBe('mended');
    // Pages of a replaced version find their scripts for a week, but not those of a suspended one.
    expect((await ask('blog', '/app.3f9a1c2b.js')).status).toBe(404);
    expect((await ask(preview)).status).toBe(503);
    await resumeVersion();
    expect((await ask(preview)).text).toBe('blog');
    expect((await ask('blog', '/app.3f9a1c2b.js')).text).toBe('script');
  });
});
