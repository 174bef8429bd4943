import { z } from 'zod';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  shownLineSchema,
  suspensionReasonSchema,
  wholeNumber,
} from '../shared/schema.ts';
import { KEEP_DAYS_MAX, KEEP_VERSIONS_MAX } from './rules.ts';

/**
 * How many of the newest versions a site keeps whatever their age, and for how many days it keeps versions
 * whatever their number.
 */
export const keepVersionsSchema = wholeNumber(1, KEEP_VERSIONS_MAX).describe(
  'How many of the newest versions are kept, however old they are: 1 to 10,000.',
);
export const keepDaysSchema = wholeNumber(0, KEEP_DAYS_MAX).describe(
  'For how many days versions are kept, however many there are: 0 to 3,650.',
);

const spaFallbackSchema = z
  .boolean()
  .describe('Whether unknown paths without a file extension return index.html.');

/** A small picture of the front page as last published, or the site's own icon; null before there is one. */
export const sitePictureSchema = z
  .object({
    kind: z
      .enum(['page', 'icon'])
      .describe('`page`: the front page as a browser shows it. `icon`: the site’s own icon.'),
    url: z.string().describe('For people who are signed in to the console. It changes with the picture.'),
  })
  .nullable()
  .describe(
    'A small picture of the front page as last published, or the site’s own icon; null before there is one.',
  );

/** A static site, with what the list and the settings page show about it. */
export const siteSchema = z.object({
  id: idSchema.describe(
    'Identifies the site in every call and for ever; its name in the address can be used in its place.',
  ),
  name: z.string().describe('As typed when it was created; the address is derived from it.'),
  type: z.literal('static').describe('Always `static`.'),
  subdomain: z
    .string()
    .describe('First label of the platform hostname: at most 63 characters of a-z, 0-9 and hyphens.'),
  subdomain_url: z.string().describe('The address at which the site is always served.'),
  current_version_id: idSchema
    .nullable()
    .describe('The version that visitors see; null before the first publication.'),
  deployed_at: instantSchema
    .nullable()
    .describe('When the current version was published; null before the first one.'),
  spa_fallback: spaFallbackSchema,
  endpoint_count: z.number().int().describe('Hostnames that lead to it. A site with any cannot be deleted.'),
  picture: sitePictureSchema,
  keep_versions: z
    .number()
    .int()
    .describe('Its own setting: that many of the newest versions are kept, however old they are.'),
  keep_days: z
    .number()
    .int()
    .describe(
      'Its own setting: versions are kept for that many days, however many there are. The current one is never ' +
        'removed.',
    ),
  removed_versions: z.number().int().describe('How many old versions were removed so far.'),
  suspended_at: instantSchema
    .nullable()
    .describe(
      'Since when an operator has suspended the site with its previews and endpoints; null otherwise.',
    ),
  suspension_reason: suspensionReasonSchema,
  created_at: createdAtSchema,
  updated_at: instantSchema.describe('When its settings or its current version last changed.'),
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
  name: shownLineSchema
    .max(200, 'A site name has at most 200 characters')
    .describe(
      'Kept for display, at most 200 characters. The address is derived from it: lower-case a-z, 0-9 and ' +
        'hyphens, at most 63 characters. If that is taken, 409 suggests another one.',
    ),
});

/** The changes; absent fields do not change. */
export const updateSiteInput = siteInput.extend({
  spa_fallback: spaFallbackSchema.optional(),
  keep_versions: keepVersionsSchema.optional(),
  keep_days: keepDaysSchema.optional(),
});
