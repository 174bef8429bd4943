import { X509Certificate } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createEndpoint } from '#server/services/cdn/create-endpoint.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createIssuingApp, type IssuingApp } from '#tests/support/certificates/issuing-app.ts';
import { issueDueCertificates } from './issue-due-certificates.ts';

/** Hostnames whose certificates are due. */
async function prepare(count: number) {
  const world = await createIssuingApp();
  const { app } = world;
  const names = Array.from({ length: count }, (_, index) => `www${index}.example.ca`);
  for (const name of names) await world.addHostname(name);
  await app.db.updateTable('certificate_bundles').set({ next_issue_at: app.clock.now() }).execute();
  const withCertificate = async () => {
    const rows = await app.db
      .selectFrom('certificate_bundles')
      .select('domain_name')
      .where('certificate', 'is not', null)
      .execute();
    return rows.length;
  };
  return { ...world, names, withCertificate };
}

/** Holds every order until that of one hostname comes, which it never would if the others took all places. */
function holdAllUntil(authority: IssuingApp['authority'], hostname: string): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { validate } = authority;
  authority.validate = async (order) => {
    if (order.domains[0] === hostname) resolve();
    else await promise;
    return validate(order);
  };
}

/** Returns the context of a run that learns what was due only when `wait` ends, after it was read. */
function withLateReads(context: IssuingApp['context'], wait: () => Promise<unknown>): IssuingApp['context'] {
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.rows.some((row) => 'due_at' in row)) await wait();
      return result;
    },
  };
  const { app } = context;
  return { ...context, app: { ...app, db: app.db.withPlugin(plugin) } };
}

describe('certificates that are due', () => {
  it('are issued: a hostname of this machine has one right after its endpoint', async () => {
    const app = await createTestApp();
    const person = await createTestPerson(app);
    await createEndpoint(person.context, {
      hostname: 'shop.localhost',
      origin_type: 'redirect',
      redirect_target: 'https://example.ca/',
    });
    const context = {
      app,
      actor: { kind: 'job', name: 'issue-certificates' },
      requestId: '',
      address: '',
    } as const;
    expect(await issueDueCertificates(context)).toEqual({ issued: 1, failed: 0, left: 0 });
    const row = await app.db.selectFrom('certificate_bundles').selectAll().executeTakeFirstOrThrow();
    const leaf = new X509Certificate(row.certificate ?? '');
    expect(leaf.checkHost('shop.localhost')).toBe('shop.localhost');
    expect(await app.db.selectFrom('certificate_orders').selectAll().execute()).toEqual([]);
  });

  it('are issued a few at a time, all in one run', async () => {
    const { authority, context, withCertificate } = await prepare(9);
    const atWork = { now: 0, most: 0 };
    const validate = authority.validate;
    authority.validate = async (order) => {
      atWork.now += 1;
      atWork.most = Math.max(atWork.most, atWork.now);
      await new Promise((resolve) => setImmediate(resolve));
      atWork.now -= 1;
      return validate(order);
    };
    expect(await issueDueCertificates(context)).toEqual({ issued: 9, failed: 0, left: 0 });
    expect(atWork.most).toBeLessThanOrEqual(4);
    expect(await withCertificate()).toBe(9);
    expect(authority.opened).toBe(9);
  });

  it('of one organization leave room for the others', async () => {
    const { app, authority, context, addHostname } = await prepare(9);
    const other = await createTestPerson(app);
    const { bundleId } = await addHostname('www.example.org');
    await app.db
      .updateTable('certificate_bundles')
      .set({ organization_id: other.organization.id, next_issue_at: app.clock.now() })
      .where('id', '=', bundleId)
      .execute();
    holdAllUntil(authority, 'www.example.org');
    expect(await issueDueCertificates(context)).toEqual({ issued: 10, failed: 0, left: 0 });
  });

  it('of two organizations whose orders never end leave room for a third', async () => {
    const { app, authority, context, addHostname } = await createIssuingApp();
    const owners = await Promise.all([createTestPerson(app), createTestPerson(app), createTestPerson(app)]);
    const addDue = async (hostname: string, owner: number) => {
      const { bundleId } = await addHostname(hostname);
      await app.db
        .updateTable('certificate_bundles')
        .set({ organization_id: owners[owner]?.organization.id ?? '', next_issue_at: app.clock.now() })
        .where('id', '=', bundleId)
        .execute();
    };
    for (let index = 0; index < 9; index += 1) {
      await addDue(`slow${index}.example.ca`, 0);
      await addDue(`slow${index}.example.org`, 1);
    }
    app.clock.advance(60_000);
    await addDue('www.example.net', 2);
    holdAllUntil(authority, 'www.example.net');
    expect(await issueDueCertificates(context)).toEqual({ issued: 19, failed: 0, left: 0 });
  });

  it('are issued once when two nodes begin at the same time', async () => {
    const { authority, context, withCertificate } = await prepare(5);
    await Promise.all([issueDueCertificates(context), issueDueCertificates(context)]);
    expect(await withCertificate()).toBe(5);
    expect(authority.opened).toBe(5);
  });

  it('do not wait for one that fails, which is not retried before its time', async () => {
    const { authority, context } = await prepare(3);
    authority.validate = async ({ domains }) => (domains[0] === 'www1.example.ca' ? 'no TXT record' : null);
    expect(await issueDueCertificates(context)).toEqual({ issued: 2, failed: 1, left: 0 });
    expect(authority.opened).toBe(3);
  });

  it('are attempted once, also what fails, when another node has read them before the first attempted them', async () => {
    const { authority, context } = await prepare(3);
    authority.validate = async () => 'no TXT record';
    let first: Promise<unknown> = Promise.resolve();
    const second = withLateReads(context, () => first);
    const running = issueDueCertificates(second);
    first = issueDueCertificates(context);
    expect(await first).toEqual({ issued: 0, failed: 3, left: 0 });
    expect(await running).toEqual({ issued: 0, failed: 0, left: 3 });
    expect(authority.opened).toBe(3);
  });

  it('are attempted once when an attempt ends while the run reads what else is due', async () => {
    const { app, authority, context } = await prepare(2);
    const reads = { count: 0 };
    const { promise, resolve } = Promise.withResolvers<void>();
    authority.validate = async ({ domains }) => {
      if (domains[0] === 'www0.example.ca') await promise;
      return 'no TXT record';
    };
    const failedTwice = () =>
      app.db.selectFrom('certificate_bundles').select('id').where('attempts', '=', 1).execute();
    const late = withLateReads(context, async () => {
      reads.count += 1;
      // The other one has failed, and this one still was in progress when it was read.
      if (reads.count !== 2) return;
      resolve();
      await expect.poll(failedTwice, { interval: 20 }).toHaveLength(2);
      await expect.poll(() => app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
    });
    expect(await issueDueCertificates(late)).toEqual({ issued: 0, failed: 2, left: 0 });
    expect(authority.opened).toBe(2);
  });

  it('are retried when their time comes, even if slow ones keep the run going', async () => {
    const { app, authority, context } = await prepare(2);
    const first = () =>
      app.db
        .selectFrom('certificate_bundles')
        .select(['attempts', 'issued_at'])
        .where('domain_name', '=', 'www0.example.ca')
        .executeTakeFirstOrThrow();
    const waits = { interval: 20, timeout: 30_000 };
    authority.validate = async ({ domains }) => {
      if (domains[0] === 'www0.example.ca') return app.clock.now() === start ? 'no TXT record' : null;
      await expect.poll(first, waits).toMatchObject({ attempts: 1 });
      app.clock.advance(3 * 60_000);
      await expect.poll(first, waits).toMatchObject({ issued_at: app.clock.now() });
      return null;
    };
    const start = app.clock.now();
    expect(await issueDueCertificates(context)).toEqual({ issued: 2, failed: 1, left: 0 });
  });

  it('are not retried in a loop after a defect', async () => {
    const { app, authority, context } = await prepare(1);
    authority.failNext('finalize', new Error('a defect'));
    expect(await issueDueCertificates(context)).toEqual({ issued: 0, failed: 0, left: 1 });
    expect(await issueDueCertificates(context)).toEqual({ issued: 0, failed: 0, left: 0 });
    app.clock.advance(5 * 60_000);
    expect(await issueDueCertificates(context)).toEqual({ issued: 1, failed: 0, left: 0 });
    expect(authority.opened).toBe(1);
  });

  it('stay where they are when the process stops, and continue after its start', async () => {
    const { app, authority, context } = await prepare(1);
    const stopping = new AbortController();
    authority.busyReads = Number.POSITIVE_INFINITY;
    authority.validate = async () => {
      setImmediate(() => stopping.abort());
      return null;
    };
    expect(await issueDueCertificates(context, stopping.signal)).toEqual({ issued: 0, failed: 0, left: 1 });
    const [row] = await app.db.selectFrom('certificate_bundles').selectAll().execute();
    expect(row).toMatchObject({ attempts: 0, failure_code: null, next_issue_at: app.clock.now() });
    expect(await app.db.selectFrom('leases').selectAll().execute()).toEqual([]);
    authority.busyReads = 0;
    expect(await issueDueCertificates(context)).toEqual({ issued: 1, failed: 0, left: 0 });
    expect(authority.opened).toBe(1);
  });
});
