import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { endOldestSessions } from './end-oldest-sessions.ts';

it('signs out the least recently used browser when a person has one too many', async () => {
  const app = await createTestApp({ environment: { LIMIT_SESSIONS_OF_PERSON: '2' } });
  const signIn = async (subject: string) => {
    app.clock.advance(1000);
    const { actor } = await createTestPerson(app, { subject });
    return actor;
  };
  const somebodyElse = await signIn('78');
  const [, second, third] = [await signIn('77'), await signIn('77'), await signIn('77')];
  const listed = async () => {
    const rows = await app.db.selectFrom('sessions').select('id').execute();
    return rows.map(({ id }) => id).sort();
  };
  const kept = [somebodyElse, second, third].map(({ sessionId }) => sessionId).sort();
  expect(await listed()).toEqual(kept);
  await endOldestSessions(app.db, third.userId, 2);
  expect(await listed()).toEqual(kept);
});
