import { z } from 'zod';
import { idSchema, instantSchema, lineSchema, pageInputSchema, pageOf } from '../shared/schema.ts';
import { KEEP_DAYS_MAX, KEEP_VERSIONS_MAX } from './rules.ts';

/** How many of the newest versions a site keeps whatever their age, and how many days of versions however many they are. */
export const keepVersionsSchema = z.coerce.number().int().min(1).max(KEEP_VERSIONS_MAX);
export const keepDaysSchema = z.coerce.number().int().min(0).max(KEEP_DAYS_MAX);

/** A static site (spec/console.md, section 3), with what the list and the settings page show beside it. */
export const siteSchema = z.object({
  id: idSchema,
  name: z.string(),
  type: z.literal('static'),
  /** First label of the platform host name. */
  subdomain: z.string(),
  subdomain_url: z.string(),
  current_version_id: idSchema.nullable(),
  /** When the current version was published; null before the first deploy. */
  deployed_at: instantSchema.nullable(),
  /** Whether unknown paths without a file extension answer index.html. */
  spa_fallback: z.boolean(),
  endpoint_count: z.number().int(),
  /** Old versions are removed but the newest so many, those of so many days, and the current one. */
  keep_versions: z.number().int(),
  keep_days: z.number().int(),
  /** How many were removed so far. */
  removed_versions: z.number().int(),
  /** Set while an operator keeps the site, its previews and its endpoints from being served; the reason is for its members. */
  suspended_at: instantSchema.nullable(),
  suspension_reason: z.string().nullable(),
  created_at: instantSchema,
  updated_at: instantSchema,
});
export type Site = z.infer<typeof siteSchema>;

export const listSitesInput = pageInputSchema.extend({
  search: lineSchema.max(100).optional(),
  /** `deployed`: only sites that are live, the latest deploy first, one page without a cursor. */
  sort: z.enum(['name', 'deployed']).default('name'),
});
export const sitePageSchema = pageOf(siteSchema);

export const siteInput = z.object({ site_id: idSchema });

/**
 * The raw typed name: it is kept for display, the server derives the address from it. A name that leaves no address,
 * the empty one included, is refused by the verb as site_name_empty.
 */
export const createSiteInput = z.object({
  name: lineSchema.max(200, 'A site name has at most 200 characters'),
});

/** What changes; whatever is absent stays. */
export const updateSiteInput = siteInput.extend({
  spa_fallback: z.boolean().optional(),
  keep_versions: keepVersionsSchema.optional(),
  keep_days: keepDaysSchema.optional(),
});
