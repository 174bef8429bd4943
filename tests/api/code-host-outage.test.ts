import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/client/browser-client.ts';
import { actionsOf, namesOf, prepareRivers } from '#tests/support/identity/code-host-person.ts';
import type { HostMood } from '#tests/support/identity/fake-code-host.ts';
import { pollUntil } from '#tests/support/poll-until.ts';

const MINUTE = 60_000;

describe('an unavailable code host', () => {
  const hurts: HostMood[] = ['failing', 'overloaded', 'nonsense', 'endless', 'moved', 'hanging'];

  it.each(hurts)('because it is %s, changes nothing and is retried a minute later', async (mood) => {
    const { app, host, browser, rivers } = await prepareRivers();
    host.mood = mood;
    rivers.members.delete('ada');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    const asked = host.asked.length;
    expect(asked).toBeGreaterThan(0);
    host.mood = 'well';
    app.clock.advance(MINUTE - 1);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(host.asked).toHaveLength(asked);
    app.clock.advance(1);
    await pollUntil(
      () => namesOf(browser),
      (names) => {
        // A hanging request may still be running: its result counts for the next minute.
        if (names.length > 0) app.clock.advance(MINUTE);
        return names.length === 0;
      },
    );
  });

  it('because it is gone, changes nothing until it is back', async () => {
    const { app, issuer, browser, rivers } = await prepareRivers();
    await issuer.goAway();
    rivers.members.set('ada', 'admin');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    await issuer.comeBack();
    app.clock.advance(MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: admin']);
  });

  it('lets people in with the known organizations', async () => {
    const { app, host, rivers, signIn } = await prepareRivers();
    host.mood = 'failing';
    rivers.members.delete('ada');
    expect(await namesOf(await signIn('ada'))).toEqual(['Rivers: write']);
    expect(await namesOf(await signIn('grace'))).toEqual([]);
    host.mood = 'well';
    app.clock.advance(MINUTE);
    expect(await namesOf(await signIn('ada'))).toEqual([]);
  });

  it('also lets in a new person, whose organizations arrive a minute later', async () => {
    const { app, host, signIn } = await prepareRivers();
    host.mood = 'failing';
    const grace = await signIn('grace');
    host.mood = 'well';
    expect(await namesOf(grace)).toEqual([]);
    app.clock.advance(MINUTE);
    expect(await namesOf(grace)).toEqual(['Rivers: owner']);
  });
});

describe('a person’s grant', () => {
  it('is renewed when it has expired, with a token that works once', async () => {
    const { app, issuer, browser } = await prepareRivers();
    for (let round = 0; round < 3; round += 1) {
      app.clock.advance(15 * MINUTE);
      expect(await namesOf(browser)).toEqual(['Rivers: write']);
    }
    expect(issuer.grantTypes.filter((type) => type === 'refresh_token')).toHaveLength(3);
  });

  it('is renewed when the host rejects it early', async () => {
    const { app, issuer, browser } = await prepareRivers({ accessSeconds: 86_400 });
    app.clock.advance(15 * MINUTE);
    await namesOf(browser);
    expect(issuer.grantTypes).toEqual(['authorization_code']);
    issuer.revoke('access');
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
    expect(issuer.grantTypes).toEqual(['authorization_code', 'refresh_token']);
  });

  it('that was revoked ends all of the person’s sessions, and no one else’s', async () => {
    const server = await prepareRivers();
    const { app, issuer, browser, signIn } = server;
    const second = await signIn('ada');
    issuer.revoke('all');
    const grace = await signIn('grace');
    app.clock.advance(15 * MINUTE);
    for (const own of [browser, second]) expect((await own.request('/api/v1/user')).status).toBe(401);
    expect((await grace.request('/api/v1/user')).status).toBe(200);
    expect((await actionsOf(server)).filter((action) => action === 'session.end_by_issuer')).toHaveLength(2);
    expect(await namesOf(await signIn('ada'))).toEqual(['Rivers: write']);
  });

  it('that cannot be renewed ends with the access token', async () => {
    const { app, browser } = await prepareRivers({ refreshes: false });
    app.clock.advance(15 * MINUTE);
    expect((await browser.request('/api/v1/user')).status).toBe(401);
  });

  it('is rejected when the host knows another person by it', async () => {
    const { app, host, browser } = await prepareRivers();
    host.answersAs = 'grace';
    app.clock.advance(15 * MINUTE);
    expect(await namesOf(browser)).toEqual(['Rivers: write']);
  });

  it('rejected by the host at the sign-in itself lets no one in', async () => {
    const { app, baseUrl, host } = await prepareRivers();
    const before = await app.db.selectFrom('sessions').select('id').execute();
    host.mood = 'refusing';
    const { url } = await new BrowserClient(baseUrl).navigate('/auth/login');
    expect(url.href).toBe(`${baseUrl}/login?error=sign_in_refused`);
    expect(await app.db.selectFrom('sessions').select('id').execute()).toEqual(before);
  });

  it('is sent to no other issuer', async () => {
    const { app, host, browser } = await prepareRivers();
    await app.db.updateTable('users').set({ issuer: 'https://earlier.example' }).execute();
    app.clock.advance(15 * MINUTE);
    expect((await browser.request('/api/v1/user')).status).toBe(401);
    expect(host.asked).toEqual([]);
  });

  it('is sealed in the database, bound to its person', async () => {
    const { app, signIn } = await prepareRivers();
    await signIn('grace');
    const [one, two] = await app.db.selectFrom('sign_in_grants').selectAll().execute();
    expect(one?.access_token_sealed).toMatch(/^v1\./);
    expect(one?.refresh_token_sealed).toMatch(/^v1\./);
    expect(() => app.sealer.open(one?.access_token_sealed ?? '', two?.user_id ?? '')).toThrow();
  });
});
