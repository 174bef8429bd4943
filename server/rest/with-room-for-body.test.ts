import { expect, it } from 'vitest';
import { z } from 'zod';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { createTestPerson } from '#tests/support/app/test-person.ts';
import type { Route } from './route.ts';
import { HELD_BYTES_MAX, withRoomForBody } from './with-room-for-body.ts';

const MIB = 1024 ** 2;
const route: Pick<Route, 'body'> = { body: { json: z.unknown(), bytesMax: 3 * MIB } };
const announcing = (bytes: number | null) =>
  new Request('http://localhost/', {
    headers: bytes === null ? {} : { 'content-length': String(bytes) },
  });

it('an organization has only so many large bodies held, and others are not affected', async () => {
  const app = await createTestApp();
  const [one, other] = [await createTestPerson(app), await createTestPerson(app)];
  const held = Promise.withResolvers<void>();
  const begin = (person: typeof one, bytes: number | null) =>
    withRoomForBody(person.context, route, announcing(bytes), () => held.promise);
  const fitting = Math.floor(HELD_BYTES_MAX / (3 * MIB));
  const running = Array.from({ length: fitting }, (_, index) => begin(one, index % 2 ? 3 * MIB : null));
  await expect(begin(one, 3 * MIB)).rejects.toMatchObject({ code: 'organization_busy' });
  running.push(begin(one, 1_000), begin(other, 3 * MIB));
  held.resolve();
  await Promise.all(running);
  await begin(one, HELD_BYTES_MAX);
});

it('a body that announces more than its route accepts takes no more than that', async () => {
  const { context } = await createTestPerson(await createTestApp());
  const response = await withRoomForBody(
    context,
    route,
    announcing(100 * HELD_BYTES_MAX),
    async () => 'read',
  );
  expect(response).toBe('read');
});
