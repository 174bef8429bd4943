import { z } from 'zod';
import { idSchema, instantSchema } from '../shared/schema.ts';
import { CERTIFICATE_PROBLEMS, DNS_FACTS, DNS_PROBLEMS, ISSUE_STEPS } from './rules.ts';

/** Why the last attempt to issue or renew failed, and when the next one begins automatically. */
export const certificateProblemSchema = z.object({
  code: z
    .enum(CERTIFICATE_PROBLEMS)
    .describe(
      'Why the attempt failed: `challenge_missing` (no CNAME), `challenge_invisible` (not yet visible ' +
        'everywhere), `caa_forbids`, `dns_unavailable`, `authority_unavailable`, `authority_limit` (its rate ' +
        'limit), `refused`, `certificate_wrong`.',
    ),
  detail: z
    .string()
    .nullable()
    .describe(
      'The authority’s own message or the name concerned, in English; null when the code says everything.',
    ),
  at: instantSchema.describe('When the attempt failed.'),
});

/** A certificate bundle, with what a person needs to get it issued. */
export const bundleSchema = z.object({
  id: idSchema.describe('For the calls that look up records and issue the certificate.'),
  domain_name: z.string().describe('The hostname that the certificate is for.'),
  registered_domain: z
    .string()
    .nullable()
    .describe(
      'The domain as registered, e.g. `example.ca`: many DNS providers take names without it. Null for local names.',
    ),
  dns_challenge_id: z.string().describe('The first label of `challenge_target`, used by this bundle only.'),
  challenge_name: z
    .string()
    .describe('The name of the record to set: `_acme-challenge.{domain}`, a CNAME to `challenge_target`.'),
  challenge_target: z
    .string()
    .describe(
      'Where that CNAME must point: a name of this installation, in which it answers the certificate authority.',
    ),
  dns_validated: z.boolean().describe('Whether the hostname reaches this installation.'),
  dns_challenge_validated: z
    .boolean()
    .describe('Whether the challenge record is in place; nothing else is needed for a certificate.'),
  checked_at: instantSchema
    .nullable()
    .describe('When the records were last looked up; null before the first time.'),
  issued_at: instantSchema
    .nullable()
    .describe(
      'When the current certificate was issued; null before the first one. Active means that this is set.',
    ),
  valid_until: instantSchema
    .nullable()
    .describe('When the current certificate expires; null before the first one.'),
  authority: z.string().describe('Who issued the certificate, or will.'),
  step: z
    .enum(ISSUE_STEPS)
    .nullable()
    .describe(
      'The current step of issuing or renewing, from `order` to `download`; null when neither is in progress.',
    ),
  problem: certificateProblemSchema
    .nullable()
    .describe('Why the last attempt to issue or renew failed; null when it succeeded or there was none.'),
  attempts: z.number().int().describe('Failed attempts in a row, 0 after a success.'),
  next_attempt_at: instantSchema
    .nullable()
    .describe('When the next attempt to issue begins by itself; null when none is planned.'),
  renew_at: instantSchema
    .nullable()
    .describe('When the certificate is renewed by itself; null before the first one.'),
});
export type Bundle = z.infer<typeof bundleSchema>;

/** One fact of the DNS checklist: what is expected, what was found, and what is wrong with it. */
export const dnsFactSchema = z.object({
  fact: z
    .enum(DNS_FACTS)
    .describe(
      '`traffic`: where the hostname leads. `challenge`: the record for the certificate. `caa`: which ' +
        'authorities may issue.',
    ),
  status: z.enum(['ok', 'missing', 'wrong', 'unknown']).describe('`unknown`: it could not be looked up.'),
  name: z
    .string()
    .describe('The name of the record; for `caa` the name whose records decide, which may be a parent.'),
  type: z
    .enum(['CNAME', 'ALIAS', 'CAA'])
    .describe(
      'The type of record to set. `ALIAS` stands for what providers offer at the top of a zone: ALIAS, ANAME or ' +
        'flattening.',
    ),
  expected: z.array(z.string()).describe('Acceptable values; a record with any of them is right.'),
  found: z
    .array(z.string())
    .describe(
      'Records as in a zone file, without name and TTL, e.g. `CNAME old.example.com`; printable and of limited ' +
        'length. A chain of aliases is in order. Additional information follows a semicolon: `A 104.16.1.1 ; ' +
        'Cloudflare`.',
    ),
  problem: z
    .enum(DNS_PROBLEMS)
    .nullable()
    .describe('What is wrong with the record, as a code; null when nothing is.'),
});
export type DnsFact = z.infer<typeof dnsFactSchema>;

/** What the public DNS says about an endpoint's hostname. */
export const dnsReportSchema = z.object({
  checked_at: instantSchema.describe('When the records were looked up for this report.'),
  hostname: z.string().describe('Whose records these are.'),
  is_apex: z.boolean().describe('The hostname is the top of its zone, which cannot have a CNAME.'),
  is_reached: z
    .boolean()
    .describe(
      'Traffic of the hostname reaches this installation. While that cannot be looked up, the previous state.',
    ),
  is_delegated: z
    .boolean()
    .describe('The challenge record is in place. While that cannot be looked up, the previous state.'),
  is_proven: z
    .boolean()
    .describe(
      'One of the records exists that only this organization could set: addresses alone prove nothing.',
    ),
  can_issue: z.boolean().describe('Nothing known would prevent a certificate.'),
  is_safe_to_switch: z
    .boolean()
    .describe(
      'The certificate is there and traffic still goes elsewhere: the record can be changed without interruption.',
    ),
  facts: z
    .array(dnsFactSchema)
    .describe(
      'Traffic, challenge and CAA, in this order; names of the platform have no traffic of their own.',
    ),
});
export type DnsReport = z.infer<typeof dnsReportSchema>;

export const bundleInput = z.object({ bundle_id: idSchema });
export const endpointOfBundleInput = z.object({ endpoint_id: idSchema });
