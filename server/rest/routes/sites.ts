import { createSite } from '../../services/sites/create-site.ts';
import { deleteSite } from '../../services/sites/delete-site.ts';
import { getSite } from '../../services/sites/get-site.ts';
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
import { organizationRoute, type Route } from '../route.ts';

const tag = 'Sites';

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
    },
    ({ context, params }) => restoreSite(context, params),
  ),
];
