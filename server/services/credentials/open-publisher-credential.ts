import type { Trx } from '#db/client.ts';
import type { App } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { toInstant } from '../shared/schema.ts';
import { newKeys } from './new-keys.ts';
import { replaceScopes } from './queries.ts';

/** How many credentials one publisher can hold at a time: enough for the runs of a busy repository. */
const OPEN_MAX = 50;

/**
 * Creates a short-lived credential for a publisher of a site. It is not listed and counts towards no limit.
 * @throws too_many_requests while the publisher holds many
 */
export async function openPublisherCredential(
  trx: Trx,
  app: App,
  given: {
    publisherId: string;
    organizationId: string;
    siteId: string;
    /** Shown as the author of the deploy. */
    name: string;
    mayPublish: boolean;
    expiresAt: number;
  },
): Promise<{ public_key: string; secret_key: string; expires_at: string }> {
  const now = app.clock.now();
  const { open } = await trx
    .selectFrom('credentials')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('publisher_id', '=', given.publisherId)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  if (Number(open) >= OPEN_MAX) throw new AppError('too_many_requests', { seconds: 60 });
  const id = newId(now);
  const { publicKey, secretKey } = newKeys();
  await trx
    .insertInto('credentials')
    .values({
      id,
      organization_id: given.organizationId,
      name: given.name,
      description: null,
      public_key: publicKey,
      secret_sealed: app.sealer.seal(secretKey, id),
      is_active: 1,
      created_by: given.name,
      created_at: now,
      last_used_at: null,
      expires_at: given.expiresAt,
      publisher_id: given.publisherId,
      may_publish: given.mayPublish ? 1 : 0,
    })
    .execute();
  const permissions = ['read', 'write'] as const;
  await replaceScopes(trx, id, [
    { resource_type: 'site', resource_id: given.siteId, permissions: [...permissions] },
  ]);
  return { public_key: publicKey, secret_key: secretKey, expires_at: toInstant(given.expiresAt) };
}
