import { describe, expect, it } from 'vitest';
import { BrowserClient } from '#tests/support/browser-client.ts';
import { startConsoleServer } from '#tests/support/console-server.ts';
import { registerAndSignIn, signIn } from '#tests/support/sign-in.ts';

async function whoAmI(browser: BrowserClient): Promise<{ status: number; login?: string }> {
  const response = await browser.request('/api/v1/user');
  const body = (await response.json()) as { login?: string };
  return { status: response.status, login: body.login };
}

describe('a newcomer', () => {
  it('registers, arrives signed in with a workspace, signs out and signs in again', async () => {
    const { app, baseUrl } = await startConsoleServer();
    const { browser, account, landedAt } = await registerAndSignIn(baseUrl);
    expect(landedAt).toBe('/');
    expect(await whoAmI(browser)).toEqual({ status: 200, login: account.login });
    const organizations = await app.db.selectFrom('organizations').selectAll().execute();
    expect(organizations.map((row) => row.name)).toEqual([account.full_name]);
    expect(organizations[0]?.external_id).toMatch(/^personal-\d+$/);

    const out = await browser.request('/auth/logout', { method: 'POST', headers: { origin: baseUrl } });
    expect(out.status).toBe(204);
    expect(browser.cookie('session')).toBeUndefined();
    expect((await whoAmI(browser)).status).toBe(401);

    const again = new BrowserClient(baseUrl);
    await signIn(again, account);
    expect(await whoAmI(again)).toEqual({ status: 200, login: account.login });
    expect(await app.db.selectFrom('organizations').selectAll().execute()).toHaveLength(1);
  });
});
