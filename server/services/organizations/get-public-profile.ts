import type { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { EMBEDDED_ISSUER } from '../identity/rules.ts';
import { findMembership } from './queries.ts';
import { type PublicProfile, publicProfileInput } from './schema.ts';

/**
 * Returns the public profile of an organization that is managed here, by its handle, and for a member
 * also which organization it is in the console.
 * @throws organization_not_found
 */
export async function getPublicProfile(
  context: RequestContext,
  input: z.input<typeof publicProfileInput>,
): Promise<PublicProfile> {
  const handle = publicProfileInput.parse(input).handle.toLowerCase();
  // It comes from an address and may be anything: what is not a handle has no page.
  if (!/^[a-z0-9-]+$/.test(handle)) throw new AppError('organization_not_found');
  const { actor, app } = context;
  const row = await app.db
    .selectFrom('organizations')
    .selectAll()
    .where('issuer', '=', EMBEDDED_ISSUER)
    .where('handle', '=', handle)
    .executeTakeFirst();
  if (!row) throw new AppError('organization_not_found');
  const membership = actor.kind === 'person' ? await findMembership(app.db, actor.userId, row.id) : null;
  const { name, description, website, location, avatar_url } = row;
  return {
    handle,
    name,
    description,
    website,
    location,
    avatar_url,
    membership: membership && { organization_id: row.id, permission: membership.permission },
  };
}
