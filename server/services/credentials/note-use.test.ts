import { expect, it } from 'vitest';
import { MINUTE_MS } from '#server/durations.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { createCredential } from './create-credential.ts';
import { noteUse } from './note-use.ts';

it('the last use of a credential is recorded once a minute, and never replaced by an earlier one', async () => {
  const app = await createTestApp();
  const { context } = await createTestPerson(app);
  const { credential } = await createCredential(context, { name: 'CI', scopes: [] });
  const read = () =>
    app.db
      .selectFrom('credentials')
      .select(['id', 'last_used_at'])
      .where('id', '=', credential.id)
      .executeTakeFirstOrThrow();
  const now = app.clock.now();
  const unused = await read();
  await noteUse(app.db, unused, now);
  await noteUse(app.db, await read(), now + MINUTE_MS - 1);
  expect((await read()).last_used_at).toBe(now);
  await noteUse(app.db, await read(), now + MINUTE_MS);
  expect((await read()).last_used_at).toBe(now + MINUTE_MS);
  // A request that read the row before the others wrote it.
  await noteUse(app.db, unused, now + 1);
  expect((await read()).last_used_at).toBe(now + MINUTE_MS);
});
