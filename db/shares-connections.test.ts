import { expect, it } from 'vitest';
import { isLent, type SeenConnection, sharesConnections } from '#db/shares-connections.ts';
import { createTestApp } from '#tests/support/app/test-app.ts';

/** Connections that are told of one process each, while the processes of `answering` answer. */
function connections(told: number[], answering: (connection: number) => number) {
  let opened = 0;
  let closed = 0;
  const open = async (): Promise<SeenConnection> => {
    const connection = opened++;
    return {
      toldProcessId: told[connection] ?? null,
      askProcessId: async () => answering(connection),
      close: async () => {
        closed += 1;
      },
    };
  };
  return { open, counts: () => ({ opened, closed }) };
}

it('connections of the server itself, and of a pooler that lends each to one client, are not shared', async () => {
  const direct = connections([41], () => 41);
  expect(await isLent(direct.open)).toBe(false);
  expect(direct.counts()).toEqual({ opened: 1, closed: 1 });
  const bySession = connections([900, 901], (connection) => 41 + connection);
  expect(await isLent(bySession.open)).toBe(false);
  expect(bySession.counts()).toEqual({ opened: 2, closed: 2 });
});

it('connections that a pooler lends by transaction are shared, also when another client is faster at first', async () => {
  expect(await isLent(connections([900, 901], () => 41).open)).toBe(true);
  let asked = 0;
  expect(await isLent(connections([900, 901], () => (asked++ < 3 ? asked : 41)).open)).toBe(true);
});

it('the database of this test is reached without such a pooler', async () => {
  const { config } = await createTestApp();
  expect(await sharesConnections(config.databaseUrl)).toBe(false);
});
