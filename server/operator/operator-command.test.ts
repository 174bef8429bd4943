import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createEdge } from '#server/edge/create-edge.ts';
import { pollEdgeChanges } from '#server/jobs/poll-edge-changes.ts';
import { ensurePlatformBundle } from '#server/services/certificates/platform-bundle.ts';
import { registerAccount } from '#server/services/identity/accounts/register-account.ts';
import { authenticateOperatorToken } from '#server/services/operator/authenticate-operator-token.ts';
import { createEdgePorts } from '#server/services/serving/edge-ports.ts';
import { createSite } from '#server/services/sites/create-site.ts';
import { updateSite } from '#server/services/sites/update-site.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { insertNamedOrganization } from '#tests/support/app/operator-context.ts';
import { createTestApp, type TestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { askEdge } from '#tests/support/client/ask-edge.ts';
import { runOperator, runOperatorProgram } from '#tests/support/server/run-operator.ts';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** The settings of an installation, as its server has them. */
function settingsOf(app: TestApp): Record<string, string> {
  return { DATA_DIR: app.config.dataDir, DATABASE_URL: app.config.databaseUrl };
}

/** An installation with a person, and the operator command for it. */
async function prepare() {
  const app = await createTestApp();
  const person = await createTestPerson(app, {
    login: 'ada',
    email: 'ada@example.ca',
    // A name that would clear the operator's screen.
    full_name: 'Ada \u001b[2J\u202e',
  });
  const run = (...args: string[]) => runOperator(args, settingsOf(app));
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };
  return { app, person, run, json };
}

describe('npm run operator', () => {
  it('creates a token that works immediately, lists it without showing it, and revokes it', async () => {
    const { app, run, json } = await prepare();
    const { code, stdout } = await run('token', 'create', '--name', 'monitoring', '--expires-in-days', '30');
    expect(code).toBe(0);
    const [token = '', , summary] = stdout.split('\n');
    expect(token).toMatch(/^ptgop_[\w-]{43}$/);
    expect(summary).toMatch(/^Token \w{26} \(read, works until \d{4}-/);
    const actor = await authenticateOperatorToken(app, { token, address: '192.0.2.1' });
    expect(actor).toMatchObject({ name: 'monitoring', access: 'read' });
    const created = await json('token', 'create', '--name', 'billing', '--access', 'manage');
    expect(created).toMatchObject({
      token: expect.stringMatching(/^ptgop_/),
      operator_token: { access: 'manage' },
    });
    const listed = await json('token', 'list');
    expect(listed).toHaveLength(2);
    expect(JSON.stringify(listed)).not.toContain('ptgop_');
    const revoked = await run('token', 'revoke', actor.tokenId ?? '');
    expect(revoked).toEqual({ code: 0, stdout: `monitoring (${actor.tokenId}) is revoked.\n`, stderr: '' });
    const refused = authenticateOperatorToken(app, { token, address: '192.0.2.1' });
    await expect(refused).rejects.toMatchObject({ code: 'credential_invalid' });
  });

  it('finds and shows organizations, and lets no customer’s name control the terminal', async () => {
    const { app, person, run, json } = await prepare();
    await insertNamedOrganization(app, { handle: 'rivers', name: 'Rivers' });
    const list = await run('organizations', 'list');
    expect(list.stdout).toMatch(/^ID +EXTERNAL ID +HANDLE +NAME +STATE/);
    expect(list.stdout).toContain(person.organization.id);
    for (const mark of ['\u001b', '\u202e']) expect(list.stdout).not.toContain(mark);
    const searched = await json('organizations', 'list', '--search', 'RIVER', '--limit', '1');
    expect(searched).toMatchObject({ items: [{ handle: 'rivers', kind: 'named' }], next_cursor: null });
    const shown = await run('organizations', 'show', person.organization.external_id);
    expect(shown.stdout).toMatch(/^members +1$/m);
    expect(shown.stdout).toMatch(/^owners +ada <ada@example\.ca>$/m);
    expect(await json('stats')).toMatchObject({ people: 1, named_organizations: 1 });
    expect((await run('stats')).stdout).toMatch(/^people +1$/m);
  });

  it('changes features and members', async () => {
    const { app, run, json } = await prepare();
    await insertNamedOrganization(app, { handle: 'rivers', name: 'Rivers' });
    const features = (...args: string[]) => run('organizations', 'features', 'rivers', ...args);
    expect((await features()).stdout).toContain('has no features');
    expect((await features('--add', 'object_storage')).stdout).toContain('has object_storage');
    expect((await features('--remove', 'object_storage')).stdout).toContain('has no features');
    const unknown = await features('--add', 'teleport');
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'There is no feature teleport.\n' });
    expect(await json('organizations', 'set-member', 'rivers', 'ada@example.ca', 'owner')).toMatchObject({
      login: 'ada',
      permission: 'owner',
    });
  });

  it('creates, lists and deletes clients of the identity service', async () => {
    const { run, json } = await prepare();
    const address = 'https://wiki.example.ca/callback';
    const { stdout } = await run('client', 'create', '--name', 'Wiki', '--redirect-uri', address);
    expect(stdout).toMatch(/^client id +\w+\nclient secret +\S{20,}\n/);
    const [client] = await json('client', 'list');
    expect(client).toMatchObject({ name: 'Wiki', redirect_uris: [address] });
    expect((await run('client', 'delete', client.client_id)).code).toBe(0);
    expect((await run('client', 'list')).stdout).toBe('There are no clients.\n');
  });

  it('prints a link that resets the password of an account of this installation', async () => {
    const { app, run } = await prepare();
    const anonymous = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.1' };
    const account = {
      full_name: 'Ada',
      login: 'ada',
      email: 'ada@example.ca',
      password: 'correct horse battery',
    };
    await registerAccount(anonymous, account);
    const { code, stdout } = await run('account', 'reset-link', 'ada@example.ca');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http\S+\/identity\/\S+\n\nIt works once/)]);
    const unknown = await run('account', 'reset-link', 'nobody@example.ca');
    expect(unknown).toEqual({ code: 1, stdout: '', stderr: 'Nothing here has this name.\n' });
  });

  it('previews what would be billed, when billing is on', async () => {
    const { app } = await prepare();
    const preview = (environment: Record<string, string>) =>
      runOperator(['billing', 'preview', '2026-03'], { ...settingsOf(app), ...environment });
    const nothing = { code: 0, stdout: 'Nothing would be billed.\n', stderr: '' };
    expect(await preview({ BILLING_MODE: 'sandbox' })).toEqual(nothing);
    const off = { code: 1, stdout: '', stderr: 'Nothing is billed on this installation.\n' };
    expect(await preview({})).toEqual(off);
  });

  it('suspends and resumes next to a running server, whose edge obeys and whose people are notified', async () => {
    const { app, person, run } = await prepare();
    const site = await createSite(person.context, { name: 'blog' });
    await deployTestFiles(person.context, site.id, { 'index.html': 'blog' });
    const edge = createEdge({ ports: createEdgePorts(app), logger: app.logger });
    const forget = (change: { site_id: string | null }) =>
      change.site_id && edge.invalidateSite(change.site_id);
    cleanups.push(await pollEdgeChanges(app, forget, 20));
    await new Promise<void>((resolve) => edge.server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => edge.close());
    const { port } = edge.server.address() as AddressInfo;
    const status = async () => (await askEdge(port, 'blog.sites.localhost', '/')).status;
    expect(await status()).toBe(200);
    // The server keeps writing while the command works on the same database.
    let isWriting = true;
    const writes = (async () => {
      let written = 0;
      while (isWriting) {
        written += 1;
        await updateSite(person.context, { site_id: site.id, spa_fallback: written % 2 === 0 });
        // Requests yield to each other, as they do over sockets.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return written;
    })();
    const suspended = await run('organizations', 'suspend', person.organization.id, '--reason', 'unpaid');
    expect([suspended.code, suspended.stderr]).toEqual([0, '']);
    isWriting = false;
    expect(await writes).toBeGreaterThan(1);
    await expect.poll(status, { timeout: 10_000 }).toBe(503);
    const resumed = await run('organizations', 'resume', person.organization.id);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    await expect.poll(status, { timeout: 10_000 }).toBe(200);
    const events = await app.db
      .selectFrom('audit_events')
      .selectAll()
      .where('actor_kind', '=', 'operator')
      .execute();
    expect(events.map(({ action, actor_name, actor_id }) => [action, actor_name, actor_id])).toEqual([
      ['organization.suspend', 'command line', null],
      ['organization.resume', 'command line', null],
    ]);
  });
});

describe('certificates on the command line', () => {
  it('show the record that the platform’s own certificate needs, and are reissued by the operator', async () => {
    const { app, run, json } = await prepare();
    await ensurePlatformBundle(app);
    const before = await run('certificates', 'list');
    expect(before.stdout).toMatch(/^name +\*\.sites\.localhost$/m);
    expect(before.stdout).toMatch(
      /^record +_acme-challenge\.sites\.localhost CNAME [a-z2-7]{20}\.acme\.localhost$/m,
    );
    expect(before.stdout).toMatch(/^valid until +–$/m);
    expect(before.stdout).toContain('No certificate of an organization has problems.');
    const issued = await run('certificates', 'issue', '*.sites.localhost');
    expect(issued).toMatchObject({ code: 0, stderr: '' });
    expect(issued.stdout).toMatch(/^\*\.sites\.localhost has a new certificate, valid until \d{4}-/);
    const { platform } = await json('certificates', 'list');
    expect(platform).toMatchObject([{ authority: 'local', problem: null, organization_id: null }]);
    const event = await app.db
      .selectFrom('audit_events')
      .select(['actor_kind', 'resource_type', 'organization_id'])
      .where('action', '=', 'certificate.issue')
      .executeTakeFirst();
    expect(event).toEqual({ actor_kind: 'operator', resource_type: 'bundle', organization_id: null });
    expect((await run('certificates', 'issue', 'unknown.example.ca')).code).toBe(1);
  });
});

describe('an invalid command line', () => {
  it('exits with 2 and one sentence when it cannot be understood, and changes nothing', async () => {
    const environment = { DATA_DIR: '/nonexistent/portage' };
    const { code, stdout, stderr } = await runOperatorProgram(['token', 'list', '--bogus'], environment);
    expect([code, stdout, stderr]).toEqual([2, '', "Unknown option '--bogus'. Try --help.\n"]);
  });

  it('exits with 1 and one sentence, never a stack, when it is refused, and with 2 for a wrong value', async () => {
    const { app, run } = await prepare();
    const refused: [string[], number, RegExp][] = [
      [['organizations', 'show', 'unknown'], 1, /^Organization not found\.$/m],
      [['token', 'revoke', 'unknown'], 1, /^Credential not found\.$/],
      [['token', 'create', '--name', 'x', '--expires-in-days', 'soon'], 2, /expires-in-days/],
      [['organizations', 'set-member', 'unknown', 'ada', 'king'], 2, /permission/],
      [
        ['billing', 'credit', 'A-1', '12,50', '--reason', 'x'],
        2,
        /^DOLLARS must be .* such as 12\.50, or all/,
      ],
      [['billing', 'void', ''], 2, /^INVOICE is empty\. Try --help\.$/],
      [
        ['billing', 'invoices', '--month', 'May'],
        2,
        /^The command line is not valid: month: must be a month/,
      ],
      // What was typed controls no terminal.
      [
        ['organizations', 'show\u001b[2J\u202e'],
        2,
        /^There is no command "organizations show\ufffd\[2J\ufffd"/,
      ],
    ];
    for (const [args, exit, sentence] of refused) {
      const { code, stdout, stderr } = await run(...args);
      expect([args.join(' '), code, stdout]).toEqual([args.join(' '), exit, '']);
      expect(stderr.trimEnd()).toMatch(sentence);
      expect(stderr.trimEnd()).not.toContain('\n');
    }
    const asJson = await run('organizations', 'show', 'unknown', '--json');
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'organization_not_found' } });
    const settings = settingsOf(app);
    const otherKey = Buffer.alloc(32, 7).toString('base64');
    const wrongKey = await runOperator(['stats'], { ...settings, MASTER_KEY: otherKey });
    expect([wrongKey.code, wrongKey.stderr]).toEqual([
      1,
      "MASTER_KEY cannot be used: it does not open this database's secrets.\n",
    ]);
  });

  it('reports a backup folder that cannot be created in one sentence', async () => {
    const { run } = await prepare();
    const { code, stderr } = await run('backup', '/proc/portage');
    expect([code, stderr]).toEqual([
      1,
      "The command failed: ENOENT: no such file or directory, mkdir '/proc/portage'\n",
    ]);
  });

  it('creates no database where there is none, and says so', async () => {
    const { code, stderr } = await runOperator(['stats'], { DATA_DIR: '/nonexistent/portage' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATA_DIR cannot be used: it contains no database\./);
    const away = 'postgres://portage@127.0.0.1:1/portage';
    const unreachable = await runOperator(['stats'], {
      DATABASE_URL: away,
      MASTER_KEY: Buffer.alloc(32).toString('base64'),
    });
    expect(unreachable.code).toBe(1);
    expect(unreachable.stderr).toMatch(/^DATABASE_URL cannot .*ECONNREFUSED[^\n]*\n$/);
  });

  it('changes nothing in a database of a newer program, and says so', async () => {
    const { app, run } = await prepare();
    await app.db
      .insertInto('kysely_migration' as never)
      .values({ name: '9999-later', timestamp: '2030-01-01T00:00:00.000Z' } as never)
      .execute();
    const { code, stderr } = await run('stats');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^DATABASE_URL cannot be used: a newer version [^\n]*9999-later[^\n]*\n$/);
  });

  it('prints help without a database', async () => {
    const { code, stdout } = await runOperatorProgram(['--help'], { DATA_DIR: '/nonexistent/portage' });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('organizations suspend ORGANIZATION --reason TEXT'),
    ]);
  });
});
