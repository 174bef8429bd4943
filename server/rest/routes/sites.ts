import { Readable } from 'node:stream';
import { z } from 'zod';
import { createSite } from '../../services/sites/create-site.ts';
import { deleteSite } from '../../services/sites/delete-site.ts';
import { getSite } from '../../services/sites/get-site.ts';
import { getSitePicture } from '../../services/sites/get-site-picture.ts';
import { listSites } from '../../services/sites/list-sites.ts';
import { restoreSite } from '../../services/sites/restore-site.ts';
import {
  createSiteInput,
  listSitesInput,
  siteInput,
  siteSchema,
  updateSiteInput,
} from '../../services/sites/schema.ts';
import { updateSite } from '../../services/sites/update-site.ts';
import { openRoute, organizationRoute, type Route } from '../route.ts';

const tag = 'Sites';
/** A picture at one address is always the same; one who leaves the organization has seen it. */
const PICTURE_KEPT_SECONDS = 86_400;

export const siteRoutes: Route[] = [
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/sites',
      id: 'listSites',
      tag,
      summary: 'List sites by name',
      description: 'A credential sees only the sites in its scopes. `search` matches names and addresses.',
      query: listSitesInput,
      success: { kind: 'page', schema: siteSchema },
    },
    ({ context, query }) => listSites(context, query),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites',
      id: 'createSite',
      tag,
      summary: 'Create a site',
      description:
        'The name is kept as sent; the address is its lower-case letters, digits and hyphens. When the name is taken or ' +
        'reserved, `params.suggestion` of the problem is a free one.',
      body: { json: createSiteInput },
      success: { kind: 'json', status: 201, schema: siteSchema },
      errors: [
        'person_required',
        'billing_required',
        'limit_sites',
        'site_name_empty',
        'site_name_reserved',
        'site_name_taken',
      ],
      location: (site) => `/api/v1/sites/${site.id}`,
    },
    ({ context, body }) => createSite(context, body),
  ),
  organizationRoute(
    {
      method: 'GET',
      path: '/api/v1/sites/{site_id}',
      id: 'getSite',
      tag,
      summary: 'Get a site',
      params: siteInput,
      success: { kind: 'json', status: 200, schema: siteSchema },
      errors: ['site_not_found'],
    },
    ({ context, params }) => getSite(context, params),
  ),
  openRoute(
    {
      audience: 'person',
      method: 'GET',
      path: '/api/v1/sites/{site_id}/picture',
      id: 'getSitePicture',
      tag,
      summary: 'Get the small picture of a site',
      description:
        'Its front page as it was last published, as WebP, or the icon that was deployed with it. Its address in `picture.url` ' +
        'changes with every picture.',
      params: siteInput,
      // A number that changes with the picture, so that browsers may keep each.
      query: z.object({ v: z.string().max(20).optional() }),
      success: { kind: 'download', mediaType: 'image/*' },
      errors: ['person_required', 'site_not_found'],
    },
    async ({ context, params }) => {
      const { bytes, mediaType, etag } = await getSitePicture(context, params);
      const filename = `picture.${mediaType.split('/')[1]}`;
      return { stream: Readable.from([bytes]), filename, etag, mediaType, secondsKept: PICTURE_KEPT_SECONDS };
    },
  ),
  organizationRoute(
    {
      method: 'PATCH',
      path: '/api/v1/sites/{site_id}',
      id: 'updateSite',
      tag,
      summary: 'Change the settings of a site',
      description:
        '`spa_fallback`: unknown paths return index.html. Old versions are removed hourly, except the newest `keep_versions`, ' +
        'those sealed in the last `keep_days` days, and the current one. Absent fields do not change.',
      params: siteInput,
      body: { json: updateSiteInput.omit({ site_id: true }) },
      success: { kind: 'json', status: 200, schema: siteSchema },
      errors: ['site_not_found'],
    },
    ({ context, params, body }) => updateSite(context, { ...params, ...body }),
  ),
  organizationRoute(
    {
      method: 'DELETE',
      path: '/api/v1/sites/{site_id}',
      id: 'deleteSite',
      tag,
      summary: 'Delete a site',
      description: 'Within a second it is no longer served. It can be restored for seven days.',
      params: siteInput,
      success: { kind: 'empty' },
      errors: ['site_not_found', 'site_has_endpoints'],
      refuses: 'credentials',
    },
    ({ context, params }) => deleteSite(context, params),
  ),
  organizationRoute(
    {
      method: 'POST',
      path: '/api/v1/sites/{site_id}/restore',
      id: 'restoreSite',
      tag,
      summary: 'Restore a deleted site',
      params: siteInput,
      success: { kind: 'json', status: 200, schema: siteSchema },
      errors: ['site_not_found'],
      refuses: 'credentials',
    },
    ({ context, params }) => restoreSite(context, params),
  ),
];
