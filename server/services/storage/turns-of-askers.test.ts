import { expect, it } from 'vitest';
import { currentAsker } from '#db/asker.ts';
import { turnsOfAskers } from './turns-of-askers.ts';

it('an S3 request asks the database for its client, and for an organization once that has signed it', async () => {
  const turns = turnsOfAskers(1);
  const answer = async (client: string, ownerId: string) => {
    const askers = [currentAsker()];
    await new Promise<void>((resolve) => {
      turns.owners.take(ownerId, () => {
        resolve();
        return true;
      });
    });
    expect([...askers, currentAsker()]).toEqual([client, ownerId || client]);
  };
  const requests = [
    ['192.0.2.1', 'organization'],
    ['192.0.2.1', 'another organization'],
    ['192.0.2.2', ''],
  ] as const;
  await Promise.all(
    requests.map(
      ([client, ownerId]) =>
        new Promise<void>((resolve, reject) => {
          turns.clients.take(client, () => {
            answer(client, ownerId).then(resolve, reject);
            return true;
          });
        }),
    ),
  );
  expect(currentAsker()).toBeNull();
});
