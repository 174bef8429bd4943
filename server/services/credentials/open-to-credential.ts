import type { Trx } from '#db/client.ts';

/** Lets a credential read and write a bucket that it has created. */
export async function openToCredential(trx: Trx, credentialId: string, bucketId: string): Promise<void> {
  await trx
    .insertInto('credential_scopes')
    .values({
      credential_id: credentialId,
      resource_type: 'bucket',
      resource_id: bucketId,
      permissions: JSON.stringify(['read', 'write']),
    })
    .execute();
}
