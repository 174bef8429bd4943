import type { Trx } from '#db/client.ts';

/** Ends the credentials of a publisher: the next request with one is refused. */
export async function closePublisherCredentials(trx: Trx, publisherId: string): Promise<void> {
  await trx.deleteFrom('credentials').where('publisher_id', '=', publisherId).execute();
}
