import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createIdentityTokens } from '#server/identity-tokens/check-identity-token.ts';
import { deployTestFiles } from '#tests/support/app/deploy.ts';
import { createMember } from '#tests/support/app/named-organization.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { startCiIssuer } from '#tests/support/identity/ci-issuer.ts';
import { listenToAll } from '#tests/support/webhooks/listen-to.ts';
import { authenticateCredential } from '../credentials/authenticate-credential.ts';
import { listCredentials } from '../credentials/list-credentials.ts';
import { createSite } from '../sites/create-site.ts';
import { addPublisher } from './add-publisher.ts';
import { exchangeIdentityToken } from './exchange-identity-token.ts';
import { listPublishers } from './list-publishers.ts';
import { purgeExchanged } from './purge-exchanged.ts';
import { removePublisher } from './remove-publisher.ts';
import type { addPublisherInput } from './schema.ts';

type Rule = Partial<z.input<typeof addPublisherInput>>;

const AUDIENCE = 'https://console.example.ca';

async function prepare() {
  const issuer = await startCiIssuer(AUDIENCE);
  const app = await createTestApp({
    identityTokens: createIdentityTokens({ issuers: [issuer.issuer], audience: AUDIENCE, now: Date.now }),
    configure: (config) => ({ ...config, ciIssuers: [issuer.issuer] }),
  });
  const { context } = await createTestPerson(app);
  const site = await createSite(context, { name: 'blog' });
  const trust = (rule: Rule = {}) =>
    addPublisher(context, {
      site_id: site.id,
      issuer: issuer.issuer,
      repository: 'Rivers/Site',
      ...rule,
    });
  const run = { app, actor: { kind: 'anonymous' as const }, requestId: 'r', address: '192.0.2.7' };
  const exchange = (token: string, named = site.id) => exchangeIdentityToken(run, { token, site: named });
  const actorOf = (keys: { public_key: string; secret_key: string }) =>
    authenticateCredential(app, {
      publicKey: keys.public_key,
      secretKey: keys.secret_key,
      address: '192.0.2.7',
    });
  return { app, context, issuer, site, trust, exchange, actorOf };
}

describe('a repository that a site trusts', () => {
  it('gets a short-lived credential for that site only, under the repository’s name, in no list', async () => {
    const { app, context, issuer, site, trust, exchange, actorOf } = await prepare();
    const publisher = await trust();
    const keys = await exchange(await issuer.sign(), 'blog');
    expect(keys).toMatchObject({ site_id: site.id, may_publish: true });
    const actor = await actorOf(keys);
    expect(actor).toMatchObject({ name: 'Rivers/Site main', mayPublish: true });
    expect(actor.scopes).toEqual([
      { resource_type: 'site', resource_id: site.id, permissions: ['read', 'write'] },
    ]);
    expect(await listCredentials(context)).toEqual([]);
    const listed = await listPublishers(context, { site_id: site.id });
    expect(listed).toMatchObject({
      issuers: [issuer.issuer],
      publishers: [{ id: publisher.id, branch: 'main' }],
    });
    expect(listed.publishers[0]?.last_used_at).not.toBeNull();
    app.clock.advance(15 * 60_000);
    await expect(actorOf(keys)).rejects.toMatchObject({ code: 'credential_invalid' });
    app.clock.advance(3_600_001);
    expect(await purgeExchanged({ app })).toEqual({ purged: 1 });
  });

  it('is named by webhooks as who deployed, with its branch', async () => {
    const { app, context, issuer, site, trust, exchange, actorOf } = await prepare();
    await trust();
    const told = await listenToAll(context);
    const actor = await actorOf(await exchange(await issuer.sign()));
    const run = { app, actor, organization: context.organization, requestId: 'r', address: '192.0.2.7' };
    await deployTestFiles(run, site.id, { 'index.html': 'hello' });
    expect(await told()).toMatchObject([
      {
        type: 'deploy.published',
        data: { site_id: site.id, actor: { kind: 'credential', name: 'Rivers/Site main' } },
      },
    ]);
  });

  it('is accepted once per token, however many exchange it at the same time', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust();
    const token = await issuer.sign();
    const both = await Promise.allSettled([exchange(token), exchange(token)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(exchange(token)).rejects.toMatchObject({ code: 'identity_token_used' });
  });

  it('is accepted once, however its signature is written', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust();
    const token = await issuer.sign();
    await exchange(token);
    // In base64url, the last letter of 256 bytes has four bits that mean nothing: the next letter means the same.
    const last = token.charCodeAt(token.length - 1);
    const variant = `${token.slice(0, -1)}${String.fromCharCode(last + 1)}`;
    await expect(exchange(variant)).rejects.toMatchObject({ code: 'identity_token_used' });
  });

  it('is not confused with another repository, branch, environment or one that has taken its name', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust({ branch: 'release/*', environment: 'production' });
    const right = { ref: 'refs/heads/release/1', environment: 'production' };
    const unknown = { code: 'publisher_unknown' };
    for (const claims of [
      { ...right, repository: 'rivers/other' },
      { ...right, ref: 'refs/heads/main' },
      { ...right, ref: 'refs/tags/release/1' },
      { ...right, environment: undefined },
      { ...right, environment: 'staging' },
    ]) {
      await expect(exchange(await issuer.sign(claims))).rejects.toMatchObject(unknown);
    }
    await exchange(await issuer.sign(right));
    const renamed = await issuer.sign({ ...right, repository_id: '43' });
    await expect(exchange(renamed)).rejects.toMatchObject(unknown);
    const refusal = await exchange(await issuer.sign(right), 'no-such-site').catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      ...unknown,
      params: { site: 'no-such-site', repository: 'rivers/site' },
    });
  });

  it('gets no credential for another site whose name is the id of the one that it names', async () => {
    const { app, issuer, site, trust, exchange } = await prepare();
    const thief = (await createTestPerson(app)).context;
    const row = await app.db.selectFrom('sites').selectAll().executeTakeFirstOrThrow();
    const trap = await createSite(thief, { name: site.id });
    // The database finds the row that lies first, and rows that change move behind others.
    await app.db.deleteFrom('sites').where('id', '=', site.id).execute();
    await app.db.insertInto('sites').values(row).execute();
    await addPublisher(thief, { site_id: trap.id, issuer: issuer.issuer, repository: 'Rivers/Site' });
    await trust();
    expect(await exchange(await issuer.sign())).toMatchObject({ site_id: site.id });
  });

  it('may also be on GitLab, which names branches and projects differently', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust({ repository: 'group/sub/site' });
    const project = {
      repository: undefined,
      repository_id: undefined,
      project_path: 'group/sub/site',
      project_id: 7,
    };
    await exchange(await issuer.sign({ ...project, ref: 'main', ref_type: 'branch' }));
    const tag = await issuer.sign({ ...project, ref: 'main', ref_type: 'tag' });
    await expect(exchange(tag)).rejects.toMatchObject({ code: 'publisher_unknown' });
  });

  it('may only create previews unless the rule says otherwise', async () => {
    const { issuer, trust, exchange, actorOf } = await prepare();
    await trust({ branch: '*', may_publish: false });
    const keys = await exchange(await issuer.sign({ ref: 'refs/pull/7/merge' }));
    expect(keys.may_publish).toBe(false);
    expect((await actorOf(keys)).mayPublish).toBe(false);
    await trust();
    expect((await exchange(await issuer.sign())).may_publish).toBe(true);
  });

  it('is no longer trusted once it is removed, and neither are its credentials', async () => {
    const { context, issuer, site, trust, exchange, actorOf } = await prepare();
    const { id } = await trust();
    const keys = await exchange(await issuer.sign());
    await removePublisher(context, { site_id: site.id, publisher_id: id });
    await expect(actorOf(keys)).rejects.toMatchObject({ code: 'credential_invalid' });
    await expect(exchange(await issuer.sign())).rejects.toMatchObject({ code: 'publisher_unknown' });
    await expect(removePublisher(context, { site_id: site.id, publisher_id: id })).rejects.toMatchObject({
      code: 'publisher_not_found',
    });
  });
});

describe('an identity token', () => {
  it('is refused when it is forged, expired, for others, from another issuer, or not a token', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust();
    const stranger = await startCiIssuer(AUDIENCE);
    const refused = (reason: string) => ({ code: 'identity_token_refused', params: { reason } });
    const signature = 'its signature is not the issuer’s';
    await expect(exchange(await issuer.sign({}, { isForged: true }))).rejects.toMatchObject(
      refused(signature),
    );
    await expect(exchange(await issuer.sign({}, { lifetime: '-5 minutes' }))).rejects.toMatchObject(
      refused('it has expired'),
    );
    const others = await issuer.sign({ aud: 'https://elsewhere.example' });
    await expect(exchange(others)).rejects.toMatchObject(refused(`its audience is not ${AUDIENCE}`));
    await expect(exchange(await stranger.sign())).rejects.toMatchObject(
      refused(`the issuer ${stranger.issuer} is not accepted here`),
    );
    expect(stranger.asked()).toBe(0);
    await expect(exchange(await issuer.sign({ ref: undefined }))).rejects.toMatchObject(
      refused('it does not name a repository and a branch'),
    );
    const [, payload] = (await issuer.sign()).split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    for (const token of [none, 'nonsense', 'a.b.c', '.'.repeat(8_000)]) {
      await expect(exchange(token)).rejects.toMatchObject({ code: 'identity_token_refused' });
    }
    await expect(exchange('x'.repeat(8_193))).rejects.toMatchObject({ name: 'ZodError' });
  });

  it('is verified with keys that are read once, and only from the issuer', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust();
    for (let run = 0; run < 3; run += 1) await exchange(await issuer.sign());
    expect(issuer.asked()).toBe(2);
    const liar = await startCiIssuer(AUDIENCE, `${issuer.issuer}/keys`);
    const tokens = createIdentityTokens({ issuers: [liar.issuer], audience: AUDIENCE, now: Date.now });
    await expect(tokens.check(await liar.sign())).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('is refused as unavailable when the issuer does not respond', async () => {
    const { issuer, trust, exchange } = await prepare();
    await trust();
    const token = await issuer.sign();
    await issuer.goAway();
    await expect(exchange(token)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('the repositories that a site trusts', () => {
  it('are managed by those who manage credentials, ten at most, each once', async () => {
    const { app, context, issuer, site, trust } = await prepare();
    const { context: reader } = await createMember(context, 'write');
    const input = { site_id: site.id, issuer: issuer.issuer, repository: 'a/b' };
    await expect(addPublisher(reader, input)).rejects.toMatchObject({ code: 'permission_required' });
    const stranger = await createTestPerson(app);
    await expect(addPublisher(stranger.context, input)).rejects.toMatchObject({ code: 'site_not_found' });
    const elsewhere = trust({ issuer: 'https://issuer.example' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'issuer_not_accepted' });
    await trust();
    await expect(trust({ repository: 'rivers/SITE', branch: 'refs/heads/main' })).rejects.toMatchObject({
      code: 'publisher_exists',
    });
    const added = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) => trust({ branch: `branch-${index}` })),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
    for (const repository of ['nobody', '/x', 'a/b c', 'https://x/y']) {
      await expect(trust({ repository })).rejects.toMatchObject({ name: 'ZodError' });
    }
  });
});
