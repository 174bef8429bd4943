import { z } from 'zod';
import {
  createdAtSchema,
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  suspensionReasonSchema,
} from '../shared/schema.ts';
import {
  ABUSE_KINDS,
  ADDRESS_LENGTH_MAX,
  DESCRIPTION_LENGTH_MAX,
  REPORT_STATES,
  readReportedAddress,
} from './rules.ts';

/** What anyone may report about an address of this installation. */
export const reportAbuseInput = z.object({
  address: lineSchema
    .min(1, 'Enter the address of the page')
    .max(ADDRESS_LENGTH_MAX, `An address has at most ${ADDRESS_LENGTH_MAX} characters`)
    .refine((address) => readReportedAddress(address) !== null, 'Enter the address of a page')
    .describe('The page, at most 2,000 characters; `https://` may be left out.'),
  kind: z.enum(ABUSE_KINDS, 'Choose what is wrong').describe('What is wrong with it.'),
  description: proseSchema
    .min(1, 'Say what is wrong')
    .max(DESCRIPTION_LENGTH_MAX)
    .describe('What is to be seen there and why it is wrong: 1 to 5,000 characters.'),
  email: z
    .email('Enter an email address, or leave this empty')
    .max(254)
    .nullish()
    .describe('Where a reply may be sent; absent or null for none.'),
});

/** The reference of a report. */
export const abuseReceiptSchema = z.object({
  id: idSchema.describe('The reference of the report, for questions to the operator.'),
  created_at: createdAtSchema,
});
export type AbuseReceipt = z.infer<typeof abuseReceiptSchema>;

const suspensionSchema = z.object({
  suspended_at: instantSchema.nullable(),
  suspension_reason: suspensionReasonSchema,
});

/** A site as operators see it with a report. */
const siteForOperatorSchema = suspensionSchema.extend({
  id: idSchema,
  name: z.string(),
  url: z.string(),
  organization_id: idSchema,
  organization_name: z.string(),
  /** Set while the deletion can be undone. */
  deleted_at: instantSchema.nullable(),
});
export type SiteForOperator = z.infer<typeof siteForOperatorSchema>;

/** A version as operators see it with a report. */
const versionForOperatorSchema = suspensionSchema.extend({
  id: idSchema,
  number: z.number().int(),
  preview_url: z.string(),
  is_current: z.boolean(),
});
export type VersionForOperator = z.infer<typeof versionForOperatorSchema>;

/** A report as operators see it, with what its address led to, if that still exists. */
export const abuseReportSchema = z.object({
  id: idSchema,
  address: z.string(),
  kind: z.enum(ABUSE_KINDS),
  description: z.string(),
  email: z.string().nullable(),
  created_at: instantSchema,
  organization: z.object({ id: idSchema, name: z.string() }).nullable(),
  site: siteForOperatorSchema.nullable(),
  version: versionForOperatorSchema.nullable(),
  closed_at: instantSchema.nullable(),
  outcome: z.enum(['suspended', 'dismissed']).nullable(),
  note: z.string().nullable(),
  closed_by: z.string().nullable(),
});
export type AbuseReport = z.infer<typeof abuseReportSchema>;

export const listAbuseReportsInput = pageInputSchema.extend({
  state: z.enum(REPORT_STATES).optional(),
  /** Part of the address. */
  search: lineSchema.max(200).optional(),
});
export const abuseReportPageSchema = pageOf(abuseReportSchema);

export const dismissAbuseReportInput = z.object({
  report_id: idSchema,
  /** For operators. */
  note: proseSchema.max(500).optional(),
});

/** The site, or only one version of it. Operators name a site by its id or by the name in its address. */
export const siteForOperatorInput = z.object({ site_id: idSchema, version_id: idSchema.optional() });
export const suspendSiteInput = siteForOperatorInput.extend({
  /** Shown to the members of the organization. */
  reason: proseSchema.min(1, 'Enter a reason').max(500),
});
export const siteSuspensionSchema = z.object({
  site: siteForOperatorSchema,
  /** Null when the whole site was meant. */
  version: versionForOperatorSchema.nullable(),
  /** Open reports that were closed with it. */
  closed_reports: z.number().int(),
});
export type SiteSuspension = z.infer<typeof siteSuspensionSchema>;
