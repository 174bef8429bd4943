import type { z } from 'zod';
import { type OrganizationContext, requireAction } from '#server/context.ts';
import { readTextCursor, toPage, toTextCursor } from '../shared/pages.ts';
import { searchInBatches } from '../shared/search-in-batches.ts';
import { describeEndpoints, type EndpointRow, selectReadableEndpoints } from './queries.ts';
import { type Endpoint, pageEndpointsInput } from './schema.ts';
import { filterEndpoints } from './search-rules.ts';

type NamedEndpoint = Pick<EndpointRow, 'id' | 'hostname' | 'site_name' | 'redirect_target'>;

/**
 * Returns a page of the organization's CDN endpoints by hostname, or of those of one site, that {@link filterEndpoints} finds. A
 * credential sees only endpoints of the sites in its scopes.
 */
export async function pageEndpoints(
  context: OrganizationContext,
  input: z.input<typeof pageEndpointsInput>,
): Promise<{ items: Endpoint[]; next_cursor: string | null }> {
  requireAction(context, 'endpoint.read');
  const { site_id, cursor, limit, search } = pageEndpointsInput.parse(input);
  const { app } = context;
  const start = readTextCursor(cursor);
  const selectAfter = (hostname: string) => {
    const after = selectReadableEndpoints(context)
      .where('cdn_endpoints.hostname', '>', hostname)
      .orderBy('cdn_endpoints.hostname');
    return site_id === undefined ? after : after.where('cdn_endpoints.site_id', '=', site_id);
  };
  let query = selectAfter(start);
  if (search !== undefined) {
    // Names as people write them are only known here: the columns that are searched are read of all.
    const found = await searchInBatches(context, {
      read: (after: NamedEndpoint | undefined, atOnce) =>
        selectAfter(after?.hostname ?? start)
          .clearSelect()
          .select(['cdn_endpoints.id', 'hostname', 'sites.name as site_name', 'redirect_target'])
          .limit(atOnce)
          .execute(),
      filter: (rows) => filterEndpoints(rows, search),
      count: limit + 1,
    });
    const ids = found.map(({ id }) => id);
    query = query.where('cdn_endpoints.id', 'in', ids.length === 0 ? [''] : ids);
  }
  const rows = await query.limit(limit + 1).execute();
  const { page, next_cursor } = toPage(rows, limit, ({ hostname }) => toTextCursor(hostname));
  return { items: await describeEndpoints(app.db, app, page), next_cursor };
}
