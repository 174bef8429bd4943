import { describe, expect, it } from 'vitest';
import { createCredential } from '#server/services/credentials/create-credential.ts';
import { createTestOperatorToken } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { resolveActor } from './resolve-actor.ts';
import { createSessions } from './sessions.ts';

async function prepare() {
  const app = await createTestApp();
  const person = await createTestPerson(app);
  const { credential, secret_key } = await createCredential(person.context, { name: 'CI', scopes: [] });
  const pair = `${credential.public_key}:${secret_key}`;
  const sessions = createSessions(app);
  const resolve = (headers: Record<string, string>, method = 'GET') =>
    resolveActor({ app, sessions }, { headers: new Headers(headers), method, address: '192.0.2.9' });
  return { app, person, credential, pair, resolve };
}

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('the actor of a request', () => {
  it('is anonymous without a cookie and a credential', async () => {
    const { resolve } = await prepare();
    expect(await resolve({})).toEqual({ kind: 'anonymous' });
    expect(await resolve({ cookie: 'session=%; theme=dark' })).toEqual({ kind: 'anonymous' });
  });

  it('is the person of the session', async () => {
    const { person, resolve } = await prepare();
    expect(await resolve({ cookie: person.sessionCookie })).toMatchObject({
      kind: 'person',
      userId: person.user.id,
    });
  });

  it('is the credential of the header, as Basic or Bearer', async () => {
    const { credential, pair, resolve } = await prepare();
    for (const authorization of [basic(pair), `Bearer ${pair}`, `bearer ${pair}`]) {
      expect(await resolve({ authorization })).toMatchObject({
        kind: 'credential',
        credentialId: credential.id,
      });
    }
  });

  it('is the operator of the token, as Bearer and in no other form', async () => {
    const { app, person, resolve } = await prepare();
    const { id, token } = await createTestOperatorToken(app, 'manage');
    for (const authorization of [`Bearer ${token}`, `bearer  ${token}`]) {
      const actor = await resolve({ authorization, cookie: person.sessionCookie }, 'POST');
      expect(actor).toMatchObject({ kind: 'operator', tokenId: id, access: 'manage' });
    }
    for (const authorization of [basic(`${token}:`), basic(`x:${token}`), `Basic ${token}`, token]) {
      const refused = resolve({ authorization, cookie: person.sessionCookie });
      await expect(refused, authorization).rejects.toMatchObject({ code: 'credential_invalid' });
    }
  });

  it('is the credential and not the person when both are sent', async () => {
    const { person, pair, resolve } = await prepare();
    const actor = await resolve({ authorization: `Bearer ${pair}`, cookie: person.sessionCookie }, 'POST');
    expect(actor.kind).toBe('credential');
  });

  it('is refused for an invalid header, even along with a valid cookie', async () => {
    const { person, pair, resolve } = await prepare();
    const wrong = [
      '',
      'Basic',
      'Basic %%%',
      'Bearer x',
      `Digest ${pair}`,
      basic(`${pair}x`),
      `Bearer ${pair}x`,
      'Bearer :',
    ];
    for (const authorization of wrong) {
      const refused = resolve({ authorization, cookie: person.sessionCookie });
      await expect(refused, authorization).rejects.toMatchObject({ code: 'credential_invalid', status: 401 });
    }
  });

  it('is refused when a cookie’s write comes from elsewhere, and not when a credential’s does', async () => {
    const { person, pair, resolve } = await prepare();
    const foreign = { origin: 'https://evil.example' };
    const refused = resolve({ cookie: person.sessionCookie, ...foreign }, 'POST');
    await expect(refused).rejects.toMatchObject({ code: 'cross_site_request' });
    expect((await resolve({ cookie: person.sessionCookie, ...foreign }, 'GET')).kind).toBe('person');
    expect((await resolve({ authorization: `Bearer ${pair}`, ...foreign }, 'POST')).kind).toBe('credential');
  });
});
