import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { createLogger } from '#server/logging/logger.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { FakeAuthority } from '#tests/support/certificates/fake-authority.ts';
import { FakeLookup } from '#tests/support/dns/fake-lookup.ts';
import { freePort } from '#tests/support/free-port.ts';
import { pollUntil } from '#tests/support/poll-until.ts';
import { engine } from '#tests/support/runner/engine.ts';
import { listenOnFreePort } from '#tests/support/server/console-server.ts';
import { openMailServer } from '#tests/support/server/mail-server.ts';
import { type Readiness, readinessCheckOf } from './check-readiness.ts';
import { watchReadiness } from './watch-readiness.ts';

it('however many clients ask, the store is written to once', async () => {
  const app = await createTestApp();
  let checks = 0;
  const { blobs } = app;
  const check = readinessCheckOf({
    ...app,
    blobs: Object.assign(Object.create(blobs), {
      check: () => {
        checks += 1;
        return blobs.check();
      },
    }),
  });
  const responses = await Promise.all(Array.from({ length: 100 }, check));
  expect(responses.every(({ isReady }) => isReady)).toBe(true);
  await check();
  expect(checks).toBe(1);
});

it('a store that never responds is reported within seconds', async () => {
  const app = await createTestApp();
  const blobs = Object.assign(Object.create(app.blobs), { check: () => new Promise(() => undefined) });
  const check = readinessCheckOf({ ...app, blobs });
  expect(await check()).toEqual({ isReady: false, checks: { database: 'ok', store: 'failed' } });
});

it('a store that is full is named, and leaves everything else ready: what fills it is deleted here', async () => {
  const app = await createTestApp();
  const check = () => Promise.reject(new AppError('storage_full'));
  const blobs = Object.assign(Object.create(app.blobs), { check });
  const checkReadiness = readinessCheckOf({ ...app, blobs });
  expect(await checkReadiness()).toEqual({ isReady: true, checks: { database: 'ok', store: 'full' } });
});

it.runIf(engine === 'postgres')(
  'a database that takes no changes is named, and leaves ready what only reads',
  async () => {
    const app = await createTestApp();
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(app.db);
    await sql`alter database ${sql.id(rows[0]?.name ?? '')} set default_transaction_read_only = on`.execute(
      app.db,
    );
    // Connections keep the setting with which they were opened.
    const db = openDatabase(app.config.databaseUrl);
    const readOnly = { isReady: true, checks: { database: 'read_only', store: 'ok' } };
    try {
      expect(await readinessCheckOf({ ...app, db })()).toEqual(readOnly);
    } finally {
      await db.destroy();
    }
    let log = '';
    const note = (_: object, message: string) => {
      log += message;
    };
    const logger = Object.assign(Object.create(app.logger), { warn: note });
    const watching = watchReadiness({ ...app, logger }, async () => readOnly as Readiness);
    const figures = await pollUntil(
      () => app.metrics.metrics(),
      (text) => text.includes('portage_dependency_up{dependency="store"} 1'),
    );
    await watching.stop();
    expect(figures).toContain('portage_dependency_up{dependency="database"} 0');
    expect(log).toBe('a dependency of this installation takes no changes');
  },
);

describe('an issuer and a mail server', () => {
  async function issuerThatAnswers(status: number) {
    const server = createServer((_, response) => response.writeHead(status).end('{}'));
    return listenOnFreePort(server);
  }
  const withServices = (issuer: string, MAIL_URL: string) =>
    createTestApp({
      environment: {
        OIDC_ISSUER: issuer,
        OIDC_CLIENT_ID: 'portage',
        MAIL_URL,
        MAIL_FROM: 'portage@example.ca',
      },
    });

  it('are asked when they are configured', async () => {
    const mail = await openMailServer();
    const app = await withServices(await issuerThatAnswers(200), mail.url);
    const checks = { database: 'ok', store: 'ok', issuer: 'ok', mail: 'ok' };
    expect(await readinessCheckOf(app)()).toEqual({ isReady: true, checks });
  });

  it('are asked once for all who look within half a minute', async () => {
    const mail = await openMailServer();
    let asked = 0;
    const issuer = createServer((_, response) => {
      asked += 1;
      response.end('{}');
    });
    const check = readinessCheckOf(await withServices(await listenOnFreePort(issuer), mail.url));
    for (let look = 0; look < 5; look += 1) await check();
    expect(asked).toBe(1);
  });

  it('are named when they do not respond, and leave everything else ready', async () => {
    const app = await withServices(await issuerThatAnswers(500), `smtp://127.0.0.1:${await freePort()}`);
    const checks = { database: 'ok', store: 'ok', issuer: 'failed', mail: 'failed' };
    expect(await readinessCheckOf(app)()).toEqual({ isReady: true, checks });
  });
});

describe('the zone of certificate challenges', () => {
  const environment = { ACME_ZONE: 'acme.portage.example' };

  it('is named while the public DNS does not find it, and leaves everything else ready', async () => {
    const lookup = new FakeLookup();
    const parts = { environment, lookup, authority: new FakeAuthority() };
    const lost = { database: 'ok', store: 'ok', challenge_zone: 'failed' };
    expect(await readinessCheckOf(await createTestApp(parts))()).toEqual({ isReady: true, checks: lost });
    lookup.set('acme.portage.example', { soa: 'ns1.portage.example' });
    const found = { database: 'ok', store: 'ok', challenge_zone: 'ok' };
    expect(await readinessCheckOf(await createTestApp(parts))()).toEqual({ isReady: true, checks: found });
  });

  it('is not looked up while this installation issues its own certificates', async () => {
    const app = await createTestApp({ environment, lookup: new FakeLookup() });
    expect((await readinessCheckOf(app)()).checks).toEqual({ database: 'ok', store: 'ok' });
  });
});

it('the metrics say every minute what responds, and the log once', async () => {
  let log = '';
  const destination = new Writable({
    write(chunk: Buffer, _, done) {
      log += chunk.toString();
      done();
    },
  });
  const app = await createTestApp({
    logger: createLogger('info', destination),
    environment: { MAIL_URL: `smtp://127.0.0.1:${await freePort()}`, MAIL_FROM: 'portage@example.ca' },
  });
  const watching = watchReadiness(app, readinessCheckOf(app));
  const figures = await pollUntil(
    () => app.metrics.metrics(),
    (text) => text.includes('portage_dependency_up{dependency="mail"} 0'),
  );
  await watching.stop();
  expect(figures).toContain('portage_dependency_up{dependency="store"} 1');
  expect(log.match(/"dependency":"mail"/g)).toHaveLength(1);
});
