import { describe, expect, it } from 'vitest';
import type { App } from '#server/context.ts';
import { operatorContext } from '#tests/support/app/operator-context.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { authenticateAccount } from './authenticate-account.ts';
import { createAccount } from './create-account.ts';
import { resetPassword } from './reset-password.ts';

const PASSWORD = 'correct horse battery';
const anonymous = (app: App) => ({
  app,
  actor: { kind: 'anonymous' } as const,
  requestId: 'r',
  address: '192.0.2.7',
});

describe('an account created by an operator', () => {
  it('is opened only by its link, whatever REGISTRATION says', async () => {
    const app = await createTestApp({ environment: { REGISTRATION: 'closed' } });
    const operator = operatorContext(app);
    const made = await createAccount(operator, { email: 'Ada.L@example.ca', full_name: 'Ada' });
    expect(made).toMatchObject({ login: 'ada-l', email: 'Ada.L@example.ca' });
    const token = made.link.split('/').at(-1) ?? '';
    await resetPassword(anonymous(app), { token, password: PASSWORD });
    const email = 'ada.l@example.ca';
    const { subject } = await authenticateAccount(anonymous(app), { email, password: PASSWORD });
    expect(made.id).toBe(`account-${subject}`);
    const again = createAccount(operator, { email, full_name: 'Ada', login: 'other' });
    await expect(again).rejects.toMatchObject({ code: 'account_email_taken' });
    const twice = createAccount(operator, { email: 'Ada.L@example.ca', full_name: 'Ada' });
    await expect(twice).rejects.toMatchObject({ code: 'account_email_taken' });
    const same = createAccount(operator, { email: 'b@example.ca', full_name: 'Ada', login: 'ada-l' });
    await expect(same).rejects.toMatchObject({ code: 'account_login_taken' });
  });

  it('cannot be created when an issuer manages the accounts', async () => {
    const environment = { OIDC_ISSUER: 'https://id.example.ca', OIDC_CLIENT_ID: 'portage' };
    const app = await createTestApp({ environment });
    const made = createAccount(operatorContext(app), { email: 'ada@example.ca', full_name: 'Ada' });
    await expect(made).rejects.toMatchObject({ code: 'invalid_input' });
  });
});
