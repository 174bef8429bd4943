import { z } from 'zod';
import { idSchema, instantSchema } from '../shared/schema.ts';
import { CERTIFICATE_PROBLEMS, DNS_FACTS, DNS_PROBLEMS, ISSUE_STEPS } from './rules.ts';

/** Why the last attempt to issue or renew failed, and when the next one begins automatically. */
const certificateProblemSchema = z.object({
  code: z.enum(CERTIFICATE_PROBLEMS),
  /** The authority's own message or the name concerned, in English; null when the code says everything. */
  detail: z.string().nullable(),
  at: instantSchema,
});

/** A certificate bundle, with what a person needs to get it issued. */
export const bundleSchema = z.object({
  id: idSchema,
  domain_name: z.string(),
  /**
   * The domain as registered, e.g. `example.ca`: many DNS providers take names without it. Null for local
   * names.
   */
  registered_domain: z.string().nullable(),
  dns_challenge_id: z.string(),
  /** The record to set: `_acme-challenge.{domain}` as a CNAME to `challenge_target`. */
  challenge_name: z.string(),
  challenge_target: z.string(),
  /** Whether the hostname reaches us. */
  dns_validated: z.boolean(),
  /** Whether the challenge record is in place. */
  dns_challenge_validated: z.boolean(),
  /** When the records were last inspected. */
  checked_at: instantSchema.nullable(),
  issued_at: instantSchema.nullable(),
  valid_until: instantSchema.nullable(),
  /** Who issued the certificate, or will. */
  authority: z.string(),
  /** The current step of issuing or renewing; null when neither is in progress. */
  step: z.enum(ISSUE_STEPS).nullable(),
  problem: certificateProblemSchema.nullable(),
  attempts: z.number().int(),
  /** When the next attempt to issue begins automatically. */
  next_attempt_at: instantSchema.nullable(),
  /** When the certificate is renewed automatically. */
  renew_at: instantSchema.nullable(),
});
export type Bundle = z.infer<typeof bundleSchema>;

/** One fact of the DNS checklist: what is expected, what was found, and what is wrong with it. */
export const dnsFactSchema = z.object({
  fact: z.enum(DNS_FACTS),
  /** `unknown`: it could not be looked up. */
  status: z.enum(['ok', 'missing', 'wrong', 'unknown']),
  /** The name of the record; for `caa` the name whose records decide, which may be a parent. */
  name: z.string(),
  type: z.enum(['CNAME', 'ALIAS', 'CAA']),
  /** Acceptable values; a record with any of them is right. */
  expected: z.array(z.string()),
  /**
   * Records as in a zone file, without name and TTL, e.g. `CNAME old.example.com`; printable and of limited
   * length. A chain of aliases is in order. Additional information follows a semicolon: `A 104.16.1.1 ;
   * Cloudflare`.
   */
  found: z.array(z.string()),
  problem: z.enum(DNS_PROBLEMS).nullable(),
});
export type DnsFact = z.infer<typeof dnsFactSchema>;

/** What the public DNS says about an endpoint's hostname. */
export const dnsReportSchema = z.object({
  checked_at: instantSchema,
  hostname: z.string(),
  /** The hostname is the top of its zone, which cannot have a CNAME. */
  is_apex: z.boolean(),
  /** Traffic of the hostname reaches us. While that cannot be looked up, the previous state. */
  is_reached: z.boolean(),
  /** The challenge record is in place. While that cannot be looked up, the previous state. */
  is_delegated: z.boolean(),
  /** One of the records exists that only this organization could set: addresses alone prove nothing. */
  is_proven: z.boolean(),
  /** Nothing known would prevent a certificate. */
  can_issue: z.boolean(),
  /**
   * The certificate is there and traffic still goes elsewhere: the record can be changed without
   * interruption.
   */
  is_safe_to_switch: z.boolean(),
  /** Traffic, challenge and CAA, in this order; names of the platform have no traffic of their own. */
  facts: z.array(dnsFactSchema),
});
export type DnsReport = z.infer<typeof dnsReportSchema>;

export const bundleInput = z.object({ bundle_id: idSchema });
export const endpointOfBundleInput = z.object({ endpoint_id: idSchema });
