import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { App } from '#server/context.ts';
import { createRateLimits } from '#server/limits/rate-limits.ts';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { deleteCredential } from '#server/services/credentials/delete-credential.ts';
import { revokeOperatorToken } from '#server/services/operator/revoke-operator-token.ts';
import { PERMISSIONS, type Permission } from '#server/services/organizations/rules.ts';
import { CODE_HOSTS } from '#server/services/publishers/rules.ts';
import { createTestOperatorToken, operatorContext } from '../app/operator-context.ts';
import type { TestApp } from '../app/test-app.ts';
import { placeSqliteDatabase } from '../app/test-database.ts';
import { createTestPerson, joinOrganization, type TestPerson } from '../app/test-person.ts';
import { SANDBOX_BILLING } from '../billing/billing.ts';
import { writePreparedKey } from '../runner/prepared-installation.ts';
import { type ConsoleServer, startConsoleServer } from '../server/console-server.ts';
import { makeTemporaryFolder } from '../temporary-folder.ts';
import { fillOrganization, type TenantIds } from './fill-organization.ts';

/** Part of every name in the organization that must not leak. */
export const SECRET_WORD = 'zanzibar';
/** The same in the other one. */
export const STRANGERS_WORD = 'elsewhere';

/** Headers that identify the caller. */
export type Asker = Record<string, string>;

/** Two organizations that must know nothing about each other, and every possible caller. */
export interface TenancyWorld extends ConsoleServer {
  ours: { ids: TenantIds; owner: TestPerson };
  theirs: { ids: TenantIds; owner: TestPerson };
  /** Members of our organization by permission, as callers. */
  members: Record<Permission, Asker>;
  /** The owner of the other organization. */
  stranger: Asker;
  credentials: {
    /** Can read and write our site. */
    inScope: Asker;
    /** Can read our site, but not write. */
    readOnly: Asker;
    /** Can read and write only our other site. */
    outOfScope: Asker;
    withoutScopes: Asker;
    /** The other organization's own. */
    foreign: Asker;
  };
  /** Credentials for our site that no longer work, or never did. */
  invalidCredentials: Record<
    'expired' | 'deleted' | 'inactive' | 'wrong secret' | 'unknown key' | 'malformed',
    Asker
  >;
  /** Operators of the installation, by tokens. */
  operators: Record<'read' | 'manage', Asker>;
  /** Operator tokens that no longer work, or never did. */
  invalidOperators: Record<'revoked' | 'expired' | 'wrong' | 'in Basic' | 'without a scheme', Asker>;
  /** Ended sessions of one of our members. */
  invalidSessions: Record<'expired' | 'revoked' | 'forged', Asker>;
}

/** A world that was made once, which each test gets a copy of. */
interface MadeWorld {
  /** The folder with its database and its store. */
  folder: string;
  world: Omit<TenancyWorld, 'app'>;
}

let made: Promise<MadeWorld> | undefined;

/** Starts a console with both organizations, which no other test has changed. Closed after the test. */
export async function startTenancyWorld(): Promise<TenancyWorld> {
  made ??= makeWorld();
  const { folder, world } = await made.catch((error) => {
    made = undefined;
    throw error;
  });
  const own = await makeTemporaryFolder({});
  await cp(folder, own, { recursive: true });
  const server = await startWorldConsole(own);
  const ownerOf = ({ ids, owner }: TenancyWorld['ours']) => ({ ids, owner: inApp(owner, server.app) });
  // Requests of a browser name the page that they come from.
  const here: Omit<TenancyWorld, 'app'> = JSON.parse(
    JSON.stringify({ ...world, ours: null, theirs: null }).replaceAll(world.baseUrl, server.baseUrl),
  );
  return { ...here, ...server, ours: ownerOf(world.ours), theirs: ownerOf(world.theirs) };
}

/** Returns a person with a context in another app on a copy of the same database. */
function inApp(person: TestPerson, app: TestApp): TestPerson {
  return { ...person, context: { ...person.context, app } };
}

/** Makes a world, and keeps what is in its database and its store. */
async function makeWorld(): Promise<MadeWorld> {
  const place = await makeTemporaryFolder({});
  await placeSqliteDatabase(join(place, DATABASE), 'prepared');
  await writePreparedKey(place);
  const { app, ...world } = await fillWorld(await startWorldConsole(place));
  // Removed with everything else of the run.
  const folder = await mkdtemp(join(tmpdir(), 'portage-world-'));
  await sql`pragma wal_checkpoint(truncate)`.execute(app.db);
  await cp(place, folder, { recursive: true });
  return { folder, world };
}

const DATABASE = 'portage.sqlite';

/** Starts a console on the data of a folder. */
async function startWorldConsole(dataDir: string): Promise<ConsoleServer> {
  const environment = {
    ...SANDBOX_BILLING,
    DATA_DIR: dataDir,
    DATABASE_URL: `sqlite:${join(dataDir, DATABASE)}`,
  };
  const server = await startConsoleServer({ environment });
  const { app } = server;
  // Refusals are the purpose of these worlds: they must not end in "too many requests".
  const generous = { points: 100_000, seconds: 60 };
  app.rateLimits = createRateLimits({
    credential_failure_key: generous,
    credential_failure_address: generous,
    operator_failure_address: generous,
  });
  // A token here is the name of a repository and a unique part.
  app.identityTokens = {
    check: async (token) => ({
      issuer: CODE_HOSTS[0].issuer,
      repository: token.split(' ')[0] ?? '',
      repositoryId: null,
      ref: 'refs/heads/main',
      environment: null,
      expiresAt: app.clock.now() + 60_000,
    }),
  };
  return server;
}

/** Creates both organizations and every caller. */
async function fillWorld(server: ConsoleServer): Promise<TenancyWorld> {
  const { app, baseUrl } = server;
  const asker = (person: TestPerson): Asker => ({ cookie: person.sessionCookie, origin: baseUrl });
  const owner = await createTestPerson(app, {
    full_name: `${SECRET_WORD} owner`,
    login: `${SECRET_WORD}-owner`,
  });
  const ours = { owner, ids: await fillOrganization(owner, SECRET_WORD) };
  const stranger = await createTestPerson(app);
  const theirs = { owner: stranger, ids: await fillOrganization(stranger, STRANGERS_WORD) };

  const joined = await Promise.all(
    PERMISSIONS.map(async (permission) => {
      const person = await createTestPerson(app);
      await joinOrganization(person, owner.organization.id, permission);
      await joinOrganization(person, ours.ids.emptyOrganization, permission);
      return [permission, asker(person)] as const;
    }),
  );
  const both = ['read', 'write'] as const;
  const credential = async (
    person: TestPerson,
    reached: { site: string; bucket: string } | null,
    permissions: readonly ('read' | 'write')[] = both,
  ) => {
    const scopes = (['site', 'bucket'] as const).flatMap((type) =>
      reached === null
        ? []
        : [{ resource_type: type, resource_id: reached[type], permissions: [...permissions] }],
    );
    const { credential, secret_key } = await createCredential(person.context, { name: 'CI', scopes });
    return { id: credential.id, publicKey: credential.public_key, secret: secret_key };
  };
  const bearer = ({ publicKey, secret }: { publicKey: string; secret: string }): Asker => ({
    authorization: `Bearer ${publicKey}:${secret}`,
  });
  const token = (value: string): Asker => ({ authorization: `Bearer ${value}` });
  const mine = ours.ids;
  const expired = await credential(owner, mine);
  const expiry = app.db.updateTable('credentials').set({ expires_at: app.clock.now() - 1 });
  await expiry.where('id', '=', expired.id).execute();
  const inactive = await credential(owner, mine);
  await app.db.updateTable('credentials').set({ is_active: 0 }).where('id', '=', inactive.id).execute();
  const deleted = await credential(owner, mine);
  await deleteCredential(owner.context, { credential_id: deleted.id });
  const good = await credential(owner, mine);

  return {
    ...server,
    ours,
    theirs,
    // Every permission was granted to a person just above.
    members: Object.fromEntries(joined) as Record<Permission, Asker>,
    stranger: asker(stranger),
    credentials: {
      inScope: bearer(good),
      readOnly: bearer(await credential(owner, mine, ['read'])),
      outOfScope: bearer(await credential(owner, { site: mine.otherSite, bucket: mine.otherBucket })),
      withoutScopes: bearer(await credential(owner, null)),
      foreign: bearer(await credential(stranger, theirs.ids)),
    },
    invalidCredentials: {
      expired: bearer(expired),
      deleted: bearer(deleted),
      inactive: bearer(inactive),
      'wrong secret': bearer({ ...good, secret: expired.secret }),
      'unknown key': bearer({ publicKey: 'ptgpk_00000000000000000000', secret: good.secret }),
      malformed: { authorization: 'Bearer nonsense' },
    },
    operators: {
      read: token((await createTestOperatorToken(app, 'read')).token),
      manage: token((await createTestOperatorToken(app, 'manage')).token),
    },
    invalidOperators: await endedOperatorTokens(app),
    invalidSessions: {
      expired: await endedSession(server, owner.organization.id, 'expired'),
      revoked: await endedSession(server, owner.organization.id, 'revoked'),
      forged: { cookie: `${owner.sessionCookie.slice(0, -4)}AAAA`, origin: baseUrl },
    },
  };
}

/** Returns operator tokens that used to have manage access, and valid ones in invalid forms. */
async function endedOperatorTokens(app: App): Promise<TenancyWorld['invalidOperators']> {
  const [revoked, expired, good] = await Promise.all(
    ['revoked', 'expired', 'good'].map((name) => createTestOperatorToken(app, 'manage', name)),
  );
  if (!revoked || !expired || !good) throw new Error('there are three tokens');
  await revokeOperatorToken(operatorContext(app), { token_id: revoked.id });
  const past = app.db.updateTable('operator_tokens').set({ expires_at: app.clock.now() - 1 });
  await past.where('id', '=', expired.id).execute();
  return {
    revoked: { authorization: `Bearer ${revoked.token}` },
    expired: { authorization: `Bearer ${expired.token}` },
    wrong: { authorization: `Bearer ${good.token.slice(0, -1)}` },
    'in Basic': { authorization: `Basic ${Buffer.from(`${good.token}:`).toString('base64')}` },
    'without a scheme': { authorization: good.token },
  };
}

/** Returns the cookie of a member whose session has ended. */
async function endedSession(
  { app, baseUrl }: ConsoleServer,
  organizationId: string,
  how: 'expired' | 'revoked',
): Promise<Asker> {
  const person = await createTestPerson(app);
  await joinOrganization(person, organizationId, 'owner');
  if (how === 'revoked') {
    await app.db.deleteFrom('sessions').where('user_id', '=', person.user.id).execute();
  } else {
    const past = { expires_at: app.clock.now() - 1 };
    await app.db.updateTable('sessions').set(past).where('user_id', '=', person.user.id).execute();
  }
  return { cookie: person.sessionCookie, origin: baseUrl };
}
