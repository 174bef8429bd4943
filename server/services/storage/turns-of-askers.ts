import { nameAsker, runForAsker } from '#db/asker.ts';
import { FairTurns } from '#server/connections/fair-turns.ts';
import type { S3Parts } from '#server/s3/create-s3-server.ts';

/**
 * Returns turns of S3 clients in which a request asks the database for its client, and once an organization's turn
 * is awaited, for that organization: a client with hundreds of made-up keys or buckets keeps no other waiting.
 */
export function turnsOfAskers(perTurn: number): S3Parts['turns'] {
  const clients = new FairTurns(perTurn);
  const owners = new FairTurns(perTurn);
  return {
    clients: {
      take: (client, begin, cost) => clients.take(client, () => runForAsker(client, begin), cost),
    },
    owners: {
      take(ownerId, begin, cost) {
        // A response may belong to no organization.
        if (ownerId !== '') nameAsker(ownerId);
        owners.take(ownerId, begin, cost);
      },
    },
  };
}
