import { expect, it } from 'vitest';
import { countTurns } from '#tests/support/app/count-turns.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import { callProcedures } from './call-procedures.ts';

it('the calls of a large batch leave turns of the event loop to others, and are answered in their places', async () => {
  const { context, organization } = await createTestPerson(await createTestApp());
  const paths = Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? 'user.me' : 'organizations.get'));
  const inputs = Object.fromEntries(
    paths.map((_, index) => [index, { json: { organization_id: organization.id } }]),
  );
  const { result, turns } = await countTurns(() =>
    callProcedures(context, { method: 'GET', paths, isBatch: true, windows: [], inputs, keys: null }),
  );
  expect(turns).toBeGreaterThanOrEqual(6);
  const responses = JSON.parse(result.text) as { result: { data: { json: { id: string } } } }[];
  const { userId } = context.actor.kind === 'person' ? context.actor : { userId: '' };
  expect(responses.map((response) => response.result.data.json.id)).toEqual(
    paths.map((path) => (path === 'user.me' ? userId : organization.id)),
  );
});
