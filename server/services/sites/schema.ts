import { z } from 'zod';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  shownLineSchema,
  wholeNumber,
} from '../shared/schema.ts';
import { KEEP_DAYS_MAX, KEEP_VERSIONS_MAX } from './rules.ts';

/**
 * How many of the newest versions a site keeps whatever their age, and for how many days it keeps versions
 * whatever their number.
 */
export const keepVersionsSchema = wholeNumber(1, KEEP_VERSIONS_MAX);
export const keepDaysSchema = wholeNumber(0, KEEP_DAYS_MAX);

/** A small picture of the front page as last published, or the site's own icon; null before there is one. */
export const sitePictureSchema = z.object({ kind: z.enum(['page', 'icon']), url: z.string() }).nullable();

/** A static site, with what the list and the settings page show about it. */
export const siteSchema = z.object({
  id: idSchema,
  name: z.string(),
  type: z.literal('static'),
  /** First label of the platform hostname. */
  subdomain: z.string(),
  subdomain_url: z.string(),
  current_version_id: idSchema.nullable(),
  /** When the current version was published; null before the first deploy. */
  deployed_at: instantSchema.nullable(),
  /** Whether unknown paths without a file extension return index.html. */
  spa_fallback: z.boolean(),
  endpoint_count: z.number().int(),
  picture: sitePictureSchema,
  /** Old versions are removed, except the newest `keep_versions`, those of the last `keep_days` days, and the current one. */
  keep_versions: z.number().int(),
  keep_days: z.number().int(),
  /** How many were removed so far. */
  removed_versions: z.number().int(),
  /**
   * Set while an operator has suspended the site with its previews and endpoints; the reason is for its
   * members.
   */
  suspended_at: instantSchema.nullable(),
  suspension_reason: z.string().nullable(),
  created_at: instantSchema,
  updated_at: instantSchema,
});
export type Site = z.infer<typeof siteSchema>;

export const listSitesInput = pageInputSchema.extend({
  search: lineSchema.max(100).optional(),
  /** `deployed`: only live sites, the latest deploy first, one page without a cursor. */
  sort: z.enum(['name', 'deployed']).default('name'),
});
export const sitePageSchema = pageOf(siteSchema);

/** How much an organization hosts. */
export const hostedCountsSchema = z.object({
  sites: z.number().int(),
  /** Those that something was deployed to. */
  live_sites: z.number().int(),
  endpoints: z.number().int(),
  /** Those that have a certificate. */
  certified_endpoints: z.number().int(),
});
export type HostedCounts = z.infer<typeof hostedCountsSchema>;

export const siteInput = z.object({ site_id: idSchema });

/**
 * The name as typed: it is kept for display, the server derives the address from it. The verb refuses a name
 * that leaves no address, including an empty one, with site_name_empty.
 */
export const createSiteInput = z.object({
  name: shownLineSchema.max(200, 'A site name has at most 200 characters'),
});

/** The changes; absent fields do not change. */
export const updateSiteInput = siteInput.extend({
  spa_fallback: z.boolean().optional(),
  keep_versions: keepVersionsSchema.optional(),
  keep_days: keepDaysSchema.optional(),
});
