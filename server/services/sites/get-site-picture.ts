import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { type RequestContext, requireAction, requirePerson } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { resolveOrganization } from '../organizations/resolve-organization.ts';
import { requireSite } from './require-site.ts';
import { siteInput } from './schema.ts';

/** A small picture. */
export interface SitePicture {
  bytes: Buffer;
  /** Of a kind that cannot hold a script. */
  mediaType: string;
  /** Strong. */
  etag: string;
}

/**
 * Returns the small picture of a site: its front page, or its own icon. Members of the site's organization
 * may read it whichever organization they currently use, since a page's `<img>` can name none.
 * @throws person_required; site_not_found for what is not theirs; not_found where there is no picture
 */
export async function getSitePicture(
  context: RequestContext,
  input: z.input<typeof siteInput>,
): Promise<SitePicture> {
  requirePerson(context);
  const { site_id } = siteInput.parse(input);
  const { db } = context.app;
  const picture = await db
    .selectFrom('site_pictures')
    .select(['organization_id', 'media_type', 'content'])
    .where('site_id', '=', site_id)
    .executeTakeFirst();
  const inside = await resolveOrganization(context, picture?.organization_id ?? '').catch(
    (error: unknown) => {
      const isForeign = error instanceof AppError && error.code === 'organization_not_found';
      throw isForeign ? new AppError('site_not_found') : error;
    },
  );
  requireAction(inside, 'site.read');
  await requireSite(db, inside, site_id, 'read');
  if (!picture?.content || !picture.media_type) throw new AppError('not_found');
  const bytes = Buffer.from(picture.content, 'base64');
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return { bytes, mediaType: picture.media_type, etag };
}
