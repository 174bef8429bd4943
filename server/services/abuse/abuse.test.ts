import { describe, expect, it } from 'vitest';
import type { RequestContext } from '#server/context.ts';
import { DAY_MS } from '#server/durations.ts';
import { newId } from '#server/ids.ts';
import { sealedMailSchema } from '#server/services/mail/queue-mail.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createMember } from '#tests/support/app/named-organization.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createEndpoint } from '../cdn/create-endpoint.ts';
import { listVersions } from '../deployments/list-versions.ts';
import { rollbackSite } from '../deployments/rollback-site.ts';
import { createEdgePorts } from '../serving/edge-ports.ts';
import { createSite } from '../sites/create-site.ts';
import { deleteSite } from '../sites/delete-site.ts';
import { getSite } from '../sites/get-site.ts';
import { restoreSite } from '../sites/restore-site.ts';
import { createBucket } from '../storage/buckets/create-bucket.ts';
import { dismissAbuseReport } from './dismiss-abuse-report.ts';
import { listAbuseReports } from './list-abuse-reports.ts';
import { purgeAbuseReports } from './purge-abuse-reports.ts';
import { reportAbuse } from './report-abuse.ts';
import { resumeSite, suspendSite } from './suspend-site.ts';

const MAIL = { MAIL_URL: 'smtp://mail.example.ca', MAIL_FROM: 'Portage <portage@example.ca>' };

function stranger(app: TestApp, address = '198.51.100.7'): RequestContext {
  return { app, actor: { kind: 'anonymous' }, requestId: newId(), address };
}

/** A site of two versions with an endpoint, a stranger and an operator. */
async function prepare(environment: Record<string, string> = {}) {
  const app = await createTestApp({ environment });
  const person = await createTestPerson(app, { full_name: 'Ada' });
  const { context } = person;
  const site = await createSite(context, { name: 'Blog' });
  const first = await deployTestFiles(context, site.id, { 'index.html': 'one' });
  const second = await deployTestFiles(context, site.id, { 'index.html': 'two' });
  const endpoint = await createEndpoint(context, { hostname: 'www.example.ca', site_id: site.id });
  await app.db
    .updateTable('cdn_endpoints')
    .set({ proven_at: app.clock.now() })
    .where('id', '=', endpoint.id)
    .execute();
  const operator = operatorContext(app);
  const report = (address = site.subdomain_url, from = stranger(app)) =>
    reportAbuse(from, { address, kind: 'phishing', description: 'It asks for passwords.' });
  const open = async () => (await listAbuseReports(operator, { state: 'open' })).items;
  return { app, person, context, site, first, second, operator, report, open };
}

const eventsOf = (app: TestApp, action: string) =>
  app.db.selectFrom('audit_events').selectAll().where('action', '=', action).orderBy('id').execute();

async function mailsOf(app: TestApp) {
  const rows = await app.db.selectFrom('outgoing_mails').selectAll().orderBy('id').execute();
  return rows.map((row) => ({
    recipient: row.recipient,
    ...sealedMailSchema.parse(JSON.parse(app.sealer.open(row.message_sealed, row.id))),
  }));
}

describe('a report of abuse', () => {
  it('names what exists at the address: a site, a preview, an endpoint, or nothing', async () => {
    const { site, first, second, report, open, person } = await prepare();
    const preview = `http://${first.version_id}--blog.sites.localhost:8080/login?a=b`;
    for (const address of [site.subdomain_url, preview, 'https://www.example.ca/x', 'nobody.example.ca']) {
      await report(address);
    }
    const found = (await open()).reverse().map(({ address, organization, site, version }) => ({
      address,
      organization: organization?.id ?? null,
      site: site?.name ?? null,
      version: version?.id ?? null,
    }));
    const organization = person.organization.id;
    expect(found).toEqual([
      { address: `${site.subdomain_url}/`, organization, site: 'Blog', version: second.version_id },
      { address: preview, organization, site: 'Blog', version: first.version_id },
      { address: 'https://www.example.ca/x', organization, site: 'Blog', version: second.version_id },
      { address: 'https://nobody.example.ca/', organization: null, site: null, version: null },
    ]);
  });

  it('names the organization of a bucket, in the path or in the host', async () => {
    const { context, report, open } = await prepare();
    await createBucket(context, { name: 'pictures' });
    const addresses = [
      'http://s3.localhost:9000/pictures/a/b.html',
      'http://pictures.s3.localhost:9000/a/b.html',
      'http://s3.localhost:9000/unknown/a',
    ];
    for (const address of addresses) await report(address);
    const { id } = context.organization;
    const found = (await open()).reverse().map(({ organization }) => organization?.id ?? null);
    expect(found).toEqual([id, id, null]);
  });

  it('names the site where clients of S3 use the name above those of sites', async () => {
    const { context, site, report, open } = await prepare({ S3_URL: 'http://localhost:9000' });
    await createBucket(context, { name: 'pictures' });
    for (const address of [site.subdomain_url, 'http://localhost:9000/pictures/a.html'])
      await report(address);
    const found = (await open()).reverse().map((each) => [each.organization?.id, each.site?.name]);
    expect(found).toEqual([
      [context.organization.id, 'Blog'],
      [context.organization.id, undefined],
    ]);
  });

  it('removes the user name from an address, and refuses what is not an address', async () => {
    const { report, open } = await prepare();
    await report('https://ada:secret@www.example.ca/');
    expect((await open())[0]?.address).toBe('https://www.example.ca/');
    for (const address of ['', ' ', 'javascript:alert(1)', 'ftp://www.example.ca', 'nowhere', 'https://'])
      await expect(report(address)).rejects.toThrow();
  });

  it('is recorded, with where it came from, and answered the same for every address', async () => {
    const { app, report } = await prepare();
    const known = await report();
    const unknown = await report('https://nobody.example.ca');
    expect(Object.keys(known)).toEqual(Object.keys(unknown));
    const [event] = await eventsOf(app, 'abuse.report');
    expect(event).toMatchObject({ actor_kind: 'anonymous', organization_id: null, address: '198.51.100.7' });
  });

  it('is accepted ten times an hour from one network, and still from others', async () => {
    const { app, report } = await prepare();
    for (let count = 0; count < 10; count += 1) await report();
    await expect(report()).rejects.toMatchObject({ code: 'too_many_requests' });
    await report(undefined, stranger(app, '203.0.113.9'));
  });

  it('is refused while ten thousand wait, and accepted again once one is decided', async () => {
    const { app, operator, report, open } = await prepare();
    await report();
    const [first] = await app.db.selectFrom('abuse_reports').selectAll().execute();
    if (!first) throw new Error('there is a report');
    for (let part = 0; part < 10; part += 1) {
      const rows = Array.from({ length: part === 0 ? 999 : 1000 }, () => ({ ...first, id: newId() }));
      await app.db.insertInto('abuse_reports').values(rows).execute();
    }
    await expect(report()).rejects.toMatchObject({ code: 'too_many_requests' });
    const [some] = await open();
    await dismissAbuseReport(operator, { report_id: some?.id ?? '' });
    await report();
  });

  it('is announced to the operators of the console when no other report is open', async () => {
    const { app, report, operator, open } = await prepare(MAIL);
    const ann = await createTestPerson(app, { email: 'ann@example.ca' });
    await app.db
      .updateTable('users')
      .set({ operator_access: 'read' })
      .where('id', '=', ann.user.id)
      .execute();
    await report('https://evil.example.ca/<script>');
    await report();
    const mails = await mailsOf(app);
    expect(mails.map((mail) => mail.recipient)).toEqual(['ann@example.ca']);
    expect(mails[0]?.text).toContain('/operator?view=abuse&state=open');
    expect(mails[0]?.html).not.toContain('It asks for passwords');
    expect(mails[0]?.html).not.toContain('<script>');
    for (const { id } of await open()) await dismissAbuseReport(operator, { report_id: id });
    await report();
    expect(await mailsOf(app)).toHaveLength(2);
  });

  it('is closed by dismissing it, once, and removed a year later; an open one stays', async () => {
    const { app, operator, report, open } = await prepare();
    const { id } = await report();
    const kept = await report();
    const dismissed = await dismissAbuseReport(operator, { report_id: id, note: 'harmless' });
    expect(dismissed).toMatchObject({ outcome: 'dismissed', note: 'harmless', closed_by: 'command line' });
    const again = await dismissAbuseReport(operator, { report_id: id, note: 'again' });
    expect(again.note).toBe('harmless');
    expect(await eventsOf(app, 'abuse.dismiss')).toHaveLength(1);
    expect((await open()).map((each) => each.id)).toEqual([kept.id]);
    const job: RequestContext = { ...operator, actor: { kind: 'job', name: 'purge-abuse-reports' } };
    expect(await purgeAbuseReports(job)).toEqual({ purged: 0 });
    app.clock.advance(366 * DAY_MS);
    expect(await purgeAbuseReports(job)).toEqual({ purged: 1 });
    expect((await open()).map((each) => each.id)).toEqual([kept.id]);
    await expect(dismissAbuseReport(operator, { report_id: id })).rejects.toMatchObject({
      code: 'abuse_report_not_found',
    });
  });

  it('is searched by its address, page by page', async () => {
    const { operator, report } = await prepare();
    await report('https://one.example.ca/100%_off');
    await report('https://two.example.ca');
    await report('https://three.example.ca');
    const found = await listAbuseReports(operator, { search: '100%_' });
    expect(found.items.map(({ address }) => address)).toEqual(['https://one.example.ca/100%_off']);
    const page = await listAbuseReports(operator, { limit: 2 });
    const next = await listAbuseReports(operator, { limit: 2, cursor: page.next_cursor ?? '' });
    expect([page.items.length, next.items.length, next.next_cursor]).toEqual([2, 1, null]);
  });
});

describe('suspending a site', () => {
  it('stops it at every name, tells its members, closes its reports, and can be undone', async () => {
    const { app, context, site, operator, report, open, person } = await prepare(MAIL);
    await createMember(context, 'read', { email: 'reader@example.ca' });
    await report();
    await report('https://nobody.example.ca');
    const ports = createEdgePorts(app);
    const served = async (host: string) => (await ports.resolveHost(host))?.isSuspended;
    expect([await served('blog.sites.localhost'), await served('www.example.ca')]).toEqual([false, false]);
    const done = await suspendSite(operator, { site_id: site.id, reason: 'Phishing.' });
    expect(done).toMatchObject({
      closed_reports: 1,
      version: null,
      site: { suspension_reason: 'Phishing.' },
    });
    expect([await served('blog.sites.localhost'), await served('www.example.ca')]).toEqual([true, true]);
    expect((await open()).map(({ address }) => address)).toEqual(['https://nobody.example.ca/']);
    expect(await getSite(context, { site_id: site.id })).toMatchObject({ suspension_reason: 'Phishing.' });
    expect(await eventsOf(app, 'site.suspend')).toMatchObject([
      { organization_id: person.organization.id, resource_id: site.id, actor_kind: 'operator' },
    ]);
    const mails = await mailsOf(app);
    expect(mails.map(({ recipient }) => recipient)).toEqual([person.user.email]);
    expect(mails[0]?.text).toContain('Phishing.');

    // The second time only changes the reason.
    await suspendSite(operator, { site_id: site.id, reason: 'Phishing, again.' });
    await suspendSite(operator, { site_id: site.id, reason: 'Phishing, again.' });
    expect(await eventsOf(app, 'site.suspend')).toHaveLength(2);
    expect(await mailsOf(app)).toHaveLength(1);

    await resumeSite(operator, { site_id: site.id });
    await resumeSite(operator, { site_id: site.id });
    expect(await eventsOf(app, 'site.resume')).toHaveLength(1);
    expect([await served('blog.sites.localhost'), await served('www.example.ca')]).toEqual([false, false]);
    expect(await getSite(context, { site_id: site.id })).toMatchObject({
      suspended_at: null,
      suspension_reason: null,
    });
  });

  it('is not evaded by deleting and restoring the site, nor by a deploy', async () => {
    const { app, context, operator } = await prepare();
    const site = await createSite(context, { name: 'shop' });
    await suspendSite(operator, { site_id: site.id, reason: 'Fraud.' });
    await deleteSite(context, { site_id: site.id });
    await restoreSite(context, { site_id: site.id });
    await deployTestFiles(context, site.id, { 'index.html': 'new' });
    const host = await createEdgePorts(app).resolveHost('shop.sites.localhost');
    expect(host?.isSuspended).toBe(true);
  });

  it('stops a single version, which cannot be rolled back to until it is resumed', async () => {
    const { app, context, site, first, second, operator, report, open } = await prepare();
    await report();
    await report(`http://${first.version_id}--blog.sites.localhost`);
    const ids = { site_id: site.id, version_id: first.version_id };
    const done = await suspendSite(operator, { ...ids, reason: 'Malware.' });
    expect(done).toMatchObject({ closed_reports: 1, version: { number: 1 }, site: { suspended_at: null } });
    expect((await open()).map(({ version }) => version?.id)).toEqual([second.version_id]);
    await expect(rollbackSite(context, ids)).rejects.toMatchObject({ code: 'version_suspended' });
    expect((await listVersions(context, { site_id: site.id })).items).toMatchObject([
      { number: 2, suspended_at: null, is_current: true },
      { number: 1, suspension_reason: 'Malware.' },
    ]);
    await resumeSite(operator, ids);
    await rollbackSite(context, ids);
    expect(await eventsOf(app, 'version.resume')).toHaveLength(1);
  });

  it('refuses an unknown site, a version of another site, and anyone who is not an operator', async () => {
    const { app, context, site, first, operator } = await prepare();
    const other = await createSite(context, { name: 'other' });
    const reason = 'x';
    const unknown = suspendSite(operator, { site_id: 'unknown', reason });
    await expect(unknown).rejects.toMatchObject({ code: 'site_not_found' });
    const mixed = suspendSite(operator, { site_id: other.id, version_id: first.version_id, reason });
    await expect(mixed).rejects.toMatchObject({ code: 'version_not_found' });
    await expect(suspendSite(operator, { site_id: site.id, reason: ' ' })).rejects.toThrow();
    for (const asker of [context, operatorContext(app, 'read')]) {
      const refused = { code: 'operator_required' };
      await expect(suspendSite(asker, { site_id: site.id, reason })).rejects.toMatchObject(refused);
      await expect(resumeSite(asker, { site_id: site.id })).rejects.toMatchObject(refused);
      await expect(dismissAbuseReport(asker, { report_id: 'x' })).rejects.toMatchObject(refused);
    }
    await expect(listAbuseReports(context)).rejects.toMatchObject({ code: 'operator_required' });
  });

  it('by two operators at the same time happens once', async () => {
    const { app, site, operator } = await prepare();
    const both = [1, 2].map(() => suspendSite(operator, { site_id: site.id, reason: 'Fraud.' }));
    await Promise.all(both);
    expect(await eventsOf(app, 'site.suspend')).toHaveLength(1);
  });
});
