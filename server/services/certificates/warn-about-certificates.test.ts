import { describe, expect, it } from 'vitest';
import type { App, RequestContext } from '#server/context.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { jobContext } from '#tests/support/app/job-context.ts';
import { createTestPerson, joinOrganization } from '#tests/support/app/test-person.ts';
import { atOnce } from '#tests/support/at-once.ts';
import { markIssued, withDns, withPublicAuthority } from '#tests/support/dns/dns-world.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { sealedMailSchema } from '../mail/queue-mail.ts';
import { inspectBundle } from './inspection/inspect-bundle.ts';
import { warnAboutCertificates } from './warn-about-certificates.ts';

const MAIL = { MAIL_URL: 'smtp://mail.example.ca', MAIL_FROM: 'Portage <portage@example.ca>' };
const DAY = 86_400_000;

const jobOf = (app: App): RequestContext => ({
  app,
  actor: { kind: 'job', name: 'warn-about-certificates' },
  requestId: '',
  address: '',
});

async function readMails(app: App) {
  const rows = await app.db.selectFrom('outgoing_mails').selectAll().orderBy('recipient').execute();
  return rows.map((row) => ({
    ...row,
    ...sealedMailSchema.parse(JSON.parse(app.sealer.open(row.message_sealed, row.id))),
  }));
}

/** An endpoint with a certificate for ninety days, with all records correct. */
async function withCertificate(environment: Record<string, string> = MAIL) {
  const world = await withDns('www.example.ca', { environment });
  world.delegate();
  world.point();
  await inspectBundle(jobContext(world.app), world.bundle.id);
  await markIssued(world.app, world.bundle.id, 90 * DAY);
  const warn = (app: App = world.app) => warnAboutCertificates(jobOf(app));
  /** Inspects once a day, as the jobs do. */
  const passDays = async (days: number, app: App = world.app) => {
    for (let day = 0; day < days; day += 1) {
      await inspectBundle(jobContext(app), world.bundle.id);
      world.app.clock.advance(DAY);
    }
  };
  return { ...world, warn, passDays };
}

describe('warnAboutCertificates', () => {
  it('writes nothing while everything is correct, nor in the first day after a record is lost', async () => {
    const { app, dns, bundle, warn, passDays } = await withCertificate();
    expect(await warn()).toEqual({ warned: 0 });
    dns.records.delete(bundle.challenge_name);
    await inspectBundle(jobContext(app), bundle.id);
    app.clock.advance(DAY - 1);
    expect(await warn()).toEqual({ warned: 0 });
    await passDays(1);
    expect(await warn()).toEqual({ warned: 1 });
  });

  it('continues with the others when one report cannot be read', async () => {
    const { app, bundle, claim, warn } = await withCertificate();
    const other = await claim('other.example.ca');
    await markIssued(app, other.bundle?.id ?? '', 90 * DAY);
    await app.db
      .updateTable('certificate_bundles')
      .set({ dns_problem_since: app.clock.now() - 2 * DAY })
      .execute();
    await app.db
      .updateTable('certificate_bundles')
      .set({ dns_report: '{' })
      .where('id', '=', bundle.id)
      .execute();
    expect(await warn()).toEqual({ warned: 1 });
    expect(await readMails(app)).toMatchObject([{ resource_id: other.bundle?.id }]);
  });

  it('fills no mailbox when the records of many hostnames are lost at once, and warns of each in time', async () => {
    const { app, claim, warn } = await withCertificate();
    app.rateLimits = createRateLimits({ notice_recipient: { points: 2, seconds: 3600 } });
    for (const name of ['one', 'two', 'three']) {
      const { bundle } = await claim(`${name}.example.ca`);
      await markIssued(app, bundle?.id ?? '', 90 * DAY);
    }
    await app.db
      .updateTable('certificate_bundles')
      .set({ dns_problem_since: app.clock.now() - 2 * DAY })
      .execute();
    expect(await warn()).toEqual({ warned: 2 });
    expect(await warn()).toEqual({ warned: 0 });
    expect(await readMails(app)).toHaveLength(2);
    // The hour is over.
    app.rateLimits = createRateLimits();
    expect(await warn()).toEqual({ warned: 2 });
    const warned = (await readMails(app)).map(({ resource_id }) => resource_id);
    expect(new Set(warned).size).toBe(4);
  });

  it('names the record to set and the deadline, to each owner and administrator in their language', async () => {
    const { app, context, dns, endpoint, bundle, warn, passDays } = await withCertificate();
    const admin = await createTestPerson(app, { email: 'admin@example.ca' });
    const writer = await createTestPerson(app, { email: 'writer@example.ca' });
    await joinOrganization(admin, context.organization.id, 'admin');
    await joinOrganization(writer, context.organization.id, 'write');
    await app.db
      .updateTable('users')
      .set({ language_preference: 'fr-CA' })
      .where('id', '=', admin.user.id)
      .execute();
    dns.set(bundle.challenge_name, { cname: 'elsewhere.example.net' });
    await passDays(1);
    expect(await warn()).toEqual({ warned: 1 });
    const [french, both, ...others] = await readMails(app);
    expect(others).toEqual([]);
    const record = `${bundle.challenge_name}. CNAME ${bundle.challenge_target}.`;
    expect(french).toMatchObject({
      recipient: 'admin@example.ca',
      languages: ['fr-CA'],
      subject: 'Le certificat du nom d’hôte www.example.ca ne peut pas être renouvelé · Portage',
      resource_type: 'certificate',
      resource_id: bundle.id,
    });
    expect(french?.text).toContain('avant le 30 mai 2026\u00a0:');
    expect(french?.text).toContain(record);
    expect(both?.languages).toEqual(['en-CA', 'fr-CA']);
    expect(both?.subject).toBe('The certificate of www.example.ca cannot be renewed · Portage');
    expect(both?.text).toContain('before May 30, 2026:');
    expect(both?.text).toContain(record);
    expect(both?.text).toContain(
      `${app.config.publicUrl}/${context.organization.id}/endpoints/${endpoint.id}`,
    );
  });

  it('names the CAA record to add', async () => {
    const { app, dns, warn, passDays } = await withCertificate();
    const elsewhere = withPublicAuthority(app, ['issuer.example']);
    dns.set('example.ca', { caa: [{ isCritical: false, tag: 'issue', value: 'other.example' }] });
    await passDays(2, elsewhere);
    expect(await warn(elsewhere)).toEqual({ warned: 1 });
    const [mail] = await readMails(app);
    expect(mail?.text).toContain('The CAA records of example.ca do not allow issuer.example');
    expect(mail?.text).toContain('example.ca. CAA 0 issue "issuer.example"');
  });

  it('writes again after a week, and sooner when the end comes nearer; and stops when the record is back', async () => {
    const { app, dns, bundle, delegate, warn, passDays } = await withCertificate();
    dns.records.delete(bundle.challenge_name);
    await passDays(1);
    const told: number[] = [];
    for (let day = 1; day <= 20; day += 1) {
      if ((await warn()).warned === 1) told.push(day);
      await passDays(1);
    }
    expect(told).toEqual([1, 8, 15]);
    delegate();
    await passDays(1);
    expect(await warn()).toEqual({ warned: 0 });
    const { length } = await readMails(app);
    expect(length).toBe(3);
  });

  it('says why renewals fail when no record is to blame, and that the certificate has expired', async () => {
    const { app, bundle, warn } = await withCertificate();
    await app.db
      .updateTable('certificate_bundles')
      .set({ attempts: 3, failure_code: 'refused', failed_at: app.clock.now() })
      .where('id', '=', bundle.id)
      .execute();
    expect(await warn()).toEqual({ warned: 0 });
    app.clock.advance(76.5 * DAY);
    expect(await warn()).toEqual({ warned: 1 });
    expect((await readMails(app))[0]?.text).toContain(
      'The certificate authority refused the request. We will try again automatically.',
    );
    app.clock.advance(13.5 * DAY);
    await app.db.deleteFrom('outgoing_mails').execute();
    expect(await warn()).toEqual({ warned: 1 });
    const [mail] = await readMails(app);
    expect(mail?.subject).toBe('The certificate of www.example.ca has expired · Portage');
    expect(mail?.text).toContain('expired on May 30, 2026');
    expect(mail?.text).toContain('expiré le 30 mai 2026');
    app.clock.advance(31 * DAY);
    expect(await warn()).toEqual({ warned: 0 });
  });

  it('remembers the record through an outage', async () => {
    const { app, dns, bundle, warn, passDays } = await withCertificate();
    dns.records.delete(bundle.challenge_name);
    await passDays(1);
    dns.set(bundle.challenge_name, { failure: 'timeout' });
    await inspectBundle(jobContext(app), bundle.id);
    expect(await warn()).toEqual({ warned: 1 });
    expect((await readMails(app))[0]?.text).toContain(`CNAME ${bundle.challenge_target}.`);
  });

  it('writes nothing, and remembers nothing, without email', async () => {
    const { dns, bundle, warn, passDays, row } = await withCertificate({});
    dns.records.delete(bundle.challenge_name);
    await passDays(2);
    expect(await warn()).toEqual({ warned: 0 });
    expect((await row()).warned_at).toBeNull();
  });

  it('notifies webhooks, also without email', async () => {
    const { context, dns, bundle, endpoint, warn, passDays } = await withCertificate({});
    const told = await listenToAll(context);
    dns.records.delete(bundle.challenge_name);
    await passDays(2);
    expect(await warn()).toEqual({ warned: 1 });
    expect(await told()).toMatchObject([
      {
        type: 'certificate.expiring',
        data: { hostname: 'www.example.ca', endpoint_id: endpoint.id, is_expired: false },
      },
    ]);
  });

  it('writes once however many nodes there are', async () => {
    const { app, dns, bundle, warn, passDays } = await withCertificate();
    dns.records.delete(bundle.challenge_name);
    await passDays(1);
    const results = await atOnce(
      app,
      [1, 2, 3].map(() => () => warn()),
    );
    const warned = results.map((result) => (result.status === 'fulfilled' ? result.value.warned : -1));
    expect(warned.sort()).toEqual([0, 0, 1]);
    expect(await readMails(app)).toHaveLength(1);
  });
});
