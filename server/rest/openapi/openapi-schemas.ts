import { z } from 'zod';
import { problemSchema } from '../../http/failures/problem.ts';
import { auditEventSchema } from '../../services/audit/schema.ts';
import {
  costSchema,
  invoiceDetailSchema,
  invoiceSchema,
  invoiceUsageSchema,
  linkedInvoiceSchema,
} from '../../services/billing/invoices/schema.ts';
import { billingStatusSchema, customerSchema } from '../../services/billing/schema.ts';
import { spendingLimitSchema } from '../../services/billing/spending/schema.ts';
import { endpointSchema } from '../../services/cdn/schema.ts';
import { bundleSchema, dnsFactSchema, dnsReportSchema } from '../../services/certificates/schema.ts';
import { createCredentialResult, credentialSchema } from '../../services/credentials/schema.ts';
import {
  deployReportSchema,
  openVersionResult,
  versionDetailSchema,
  versionFileSchema,
  versionSchema,
} from '../../services/deployments/schema.ts';
import { sessionSchema, userSchema } from '../../services/identity/schema.ts';
import {
  invitationPreviewSchema,
  invitationSchema,
  memberSchema,
  membershipSchema,
  organizationContextSchema,
  organizationSchema,
} from '../../services/organizations/schema.ts';
import {
  exchangedCredentialSchema,
  publisherSchema,
  publishersSchema,
} from '../../services/publishers/schema.ts';
import { siteSchema } from '../../services/sites/schema.ts';
import {
  bucketSchema,
  corsCheckSchema,
  unfinishedUploadSchema,
  uploadTotalsSchema,
} from '../../services/storage/schema.ts';
import {
  storageUsageSchema,
  usageOverviewSchema,
  usagePathsSchema,
  usageStatsSchema,
  usageTotalsSchema,
} from '../../services/usage/schema.ts';
import { ALL_EVENTS, type AnyEvent, eventSchema } from '../../services/webhooks/event-schemas.ts';
import {
  webhookMessageSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../../services/webhooks/schema.ts';

export type Json = Record<string, unknown>;

/** Whether a part of a document is an object. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a part of a document if it is an object, otherwise an empty one. */
export function toJson(value: unknown): Json {
  return isJson(value) ? value : {};
}

/** Schemas that clients will want a name for. */
const NAMED_SCHEMAS: Record<string, z.ZodType> = {
  AuditEvent: auditEventSchema,
  BillingCustomer: customerSchema,
  BillingStatus: billingStatusSchema,
  Bucket: bucketSchema,
  Bundle: bundleSchema,
  CorsCheck: corsCheckSchema,
  Cost: costSchema,
  Credential: credentialSchema,
  CreatedCredential: createCredentialResult,
  DeployReport: deployReportSchema,
  DnsFact: dnsFactSchema,
  DnsReport: dnsReportSchema,
  Endpoint: endpointSchema,
  ExchangedCredential: exchangedCredentialSchema,
  Invitation: invitationSchema,
  InvitationPreview: invitationPreviewSchema,
  Invoice: invoiceSchema,
  InvoiceDetail: invoiceDetailSchema,
  InvoiceUsage: invoiceUsageSchema,
  LinkedInvoice: linkedInvoiceSchema,
  Member: memberSchema,
  Membership: membershipSchema,
  OpenedVersion: openVersionResult,
  Organization: organizationSchema,
  OrganizationContext: organizationContextSchema,
  Problem: problemSchema,
  Publisher: publisherSchema,
  Publishers: publishersSchema,
  Session: sessionSchema,
  Site: siteSchema,
  SpendingLimit: spendingLimitSchema,
  StorageUsage: storageUsageSchema,
  UnfinishedUpload: unfinishedUploadSchema,
  UploadTotals: uploadTotalsSchema,
  UsageOverview: usageOverviewSchema,
  UsagePaths: usagePathsSchema,
  UsageStats: usageStatsSchema,
  UsageTotals: usageTotalsSchema,
  User: userSchema,
  Version: versionSchema,
  VersionDetail: versionDetailSchema,
  VersionFile: versionFileSchema,
  Webhook: webhookSchema,
  WebhookMessage: webhookMessageSchema,
  WebhookWithSecret: webhookWithSecretSchema,
};
const NAME_OF_SCHEMA: ReadonlyMap<unknown, string> = new Map(
  Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [schema, name]),
);

/** Returns the named schemas and the bodies of events, for `components`. */
export function componentSchemas(): Json {
  return {
    ...Object.fromEntries(
      Object.entries(NAMED_SCHEMAS).map(([name, schema]) => [name, convert(schema, 'output', name)]),
    ),
    // As their receivers parse them: further fields are allowed.
    ...Object.fromEntries(
      ALL_EVENTS.map((event) => [nameOfEvent(event), convert(eventSchema(event), 'input')]),
    ),
  };
}

/** Returns the name of the schema of an event: `DeployRolledBackEvent` for `deploy.rolled_back`. */
export function nameOfEvent(event: AnyEvent): string {
  const words = event.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}

/** Returns the JSON Schema of a response; named schemas are referenced by their names, at any depth. */
export function responseSchema(schema: z.ZodType): Json {
  return convert(schema, 'output');
}

/** Returns the JSON Schema of a request. */
export function requestSchema(schema: z.ZodType): Json {
  return convert(schema, 'input');
}

function convert(schema: z.ZodType, io: 'input' | 'output', ownName?: string): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const name = io === 'output' ? nameOf(zodSchema) : undefined;
      if (name !== undefined && name !== ownName) refer(jsonSchema, name);
      else simplify(jsonSchema);
    },
  });
  return rest;
}

/** Returns the name of a schema, or of the one that it only adds words to: `describe` makes a copy. */
function nameOf(schema: z.core.$ZodType): string | undefined {
  const { parent } = schema._zod;
  return NAME_OF_SCHEMA.get(schema) ?? (parent === undefined ? undefined : nameOf(parent));
}

/** Leaves of a schema a reference to its name, and the words of the field that has it. */
function refer(jsonSchema: Json, name: string): void {
  for (const key of Object.keys(jsonSchema)) if (key !== 'description') delete jsonSchema[key];
  jsonSchema.$ref = `#/components/schemas/${name}`;
}

/** What `\P{Cc}` matches, for pattern readers without Unicode properties. */
const NO_CONTROL = '[^\\u0000-\\u001f\\u007f-\\u009f]';

/**
 * Removes what zod adds and readers do not need: the bounds of a safe integer, and a date's pattern next to
 * its format.
 */
function simplify(jsonSchema: Json): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (typeof jsonSchema.pattern === 'string')
    jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\P{Cc}', NO_CONTROL);
  // When there are several patterns, each has its own schema.
  if (Array.isArray(jsonSchema.allOf)) for (const part of jsonSchema.allOf as Json[]) simplify(part);
}
