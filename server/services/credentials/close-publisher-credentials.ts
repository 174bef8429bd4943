import type { Trx } from '#db/client.ts';

/** Ends what a publisher was given: the next request with it is refused. */
export async function closePublisherCredentials(trx: Trx, publisherId: string): Promise<void> {
  await trx.deleteFrom('credentials').where('publisher_id', '=', publisherId).execute();
}
