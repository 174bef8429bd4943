import type { App } from '#server/context.ts';
import { createTestPerson, type TestPerson } from './test-person.ts';

export interface EmbeddedPerson extends TestPerson {
  login: string;
}

/**
 * Returns a person with an account at the embedded identity service who has signed in at the console with it.
 */
export async function createEmbeddedPerson(app: App, login: string): Promise<EmbeddedPerson> {
  const now = app.clock.now();
  const profile = {
    login,
    full_name: `Person ${login}`,
    email: `${login}@example.ca`,
    avatar_url: null,
  };
  const { number } = await app.db
    .insertInto('identity_accounts')
    .values({
      ...profile,
      email_key: profile.email,
      login_key: login,
      password_hash: 'nobody signs in with this',
      language: null,
      created_at: now,
      updated_at: now,
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  return { login, ...(await createTestPerson(app, { ...profile, subject: String(number) })) };
}
