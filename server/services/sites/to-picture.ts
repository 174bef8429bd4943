import type { Site } from './schema.ts';

/** Returns where a site's picture is, as it goes over the wire; its address changes with every picture. */
export function toPicture(
  siteId: string,
  row: { picture_kind: 'page' | 'icon' | null; picture_made_at: number | null },
): Site['picture'] {
  if (row.picture_kind === null) return null;
  return { kind: row.picture_kind, url: `/api/v1/sites/${siteId}/picture?v=${row.picture_made_at}` };
}
