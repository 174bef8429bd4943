import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { checkRoles } from './check-roles.ts';

it('lists the roles in the same order, whichever process answers first', async () => {
  const app = await createTestApp();
  const answers = [{ s3: true }, { edge: true, dns: false }].map((body) => ({ answer: { body } }));
  for (const inTurn of [answers, answers.toReversed()]) {
    const siblings = Object.assign(Object.create(app.siblings), { ask: async () => inTurn });
    const states = Object.entries(await checkRoles({ ...app, siblings }));
    expect(states).toEqual([
      ['dns', false],
      ['edge', true],
      ['s3', true],
    ]);
  }
});
