import { z } from 'zod';
import { limitForOperatorSchema, limitNameSchema, limitValueSchema } from '../limits/schema.ts';
import { organizationSchema, permissionSchema } from '../organizations/schema.ts';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  shownLineSchema,
} from '../shared/schema.ts';
import { OPERATOR_ACCESS, ORGANIZATION_STATES, QUEUE_NAMES } from './rules.ts';

/** An operator token, without the token itself. */
const operatorTokenSchema = z.object({
  id: idSchema,
  name: z.string(),
  access: z.enum(OPERATOR_ACCESS),
  created_at: instantSchema,
  last_used_at: instantSchema.nullable(),
  expires_at: instantSchema.nullable(),
  revoked_at: instantSchema.nullable(),
});
export type OperatorToken = z.infer<typeof operatorTokenSchema>;

export const createOperatorTokenInput = z.object({
  name: shownLineSchema.min(1, 'Enter a name').max(100),
  access: z.enum(OPERATOR_ACCESS).default('read'),
  /** Null or absent: it works until it is revoked. */
  expires_in_days: z.number().int().min(1).max(3650).nullish(),
});

/** The only response that contains the token. */
const createOperatorTokenResult = z.object({ operator_token: operatorTokenSchema, token: z.string() });
export type CreateOperatorTokenResult = z.infer<typeof createOperatorTokenResult>;

export const operatorTokenInput = z.object({ token_id: idSchema });

/** How an operator refers to an organization: by its id, its external id or its handle. */
const organizationReferenceSchema = lineSchema.min(1).max(100);
export const organizationReferenceInput = z.object({ organization_id: organizationReferenceSchema });

/** An organization as operators see it in a list. */
const organizationForOperatorSchema = organizationSchema
  .pick({
    id: true,
    external_id: true,
    name: true,
    handle: true,
    features: true,
    is_managed_here: true,
    suspended_at: true,
    suspension_reason: true,
  })
  .extend({
    kind: z.enum(['personal', 'named']),
    /** Set when the last member known to its identity service is gone, or when it was deleted here. */
    detached_at: instantSchema.nullable(),
    created_at: instantSchema,
  });
export type OrganizationForOperator = z.infer<typeof organizationForOperatorSchema>;

export const listOrganizationsForOperatorInput = pageInputSchema.extend({
  /** Part of the name, the handle, the external id, or of a member's login or email address. */
  search: lineSchema.max(100).optional(),
  state: z.enum(ORGANIZATION_STATES).optional(),
});
export const organizationForOperatorPageSchema = pageOf(organizationForOperatorSchema);

/** An organization with its contents and contacts. */
export const organizationDetailSchema = organizationForOperatorSchema.extend({
  members: z.number().int(),
  owners: z.array(z.object({ login: z.string(), full_name: z.string(), email: z.string() })),
  sites: z.number().int(),
  endpoints: z.number().int(),
  credentials: z.number().int(),
  /** Bytes of distinct contents, each counted once. */
  stored_bytes: z.number().int(),
  last_deployed_at: instantSchema.nullable(),
  limits: z.array(limitForOperatorSchema),
});
export type OrganizationDetail = z.infer<typeof organizationDetailSchema>;

export const setFeaturesInput = organizationReferenceInput.extend({
  /** All features that the organization has from now on. */
  features: z.array(lineSchema.min(1).max(100)).max(50),
});

export const setLimitsInput = organizationReferenceInput.extend({
  /** What changes, by name: a number, or null for the installation's default. */
  limits: z.partialRecord(limitNameSchema, limitValueSchema.nullable()),
});

export const suspendOrganizationInput = organizationReferenceInput.extend({
  /** Shown to the members of the organization. */
  reason: proseSchema.min(1, 'Enter a reason').max(500),
});

export const setMemberInput = organizationReferenceInput.extend({
  /** The login or the email address of a person who has signed in here. */
  member: lineSchema.min(1).max(254),
  permission: permissionSchema,
});

export const setMemberResult = z.object({
  user_id: idSchema,
  login: z.string(),
  email: z.string(),
  permission: permissionSchema,
});
export type SetMemberResult = z.infer<typeof setMemberResult>;

/** The installation in numbers. */
export const installationStatsSchema = z.object({
  people: z.number().int(),
  personal_organizations: z.number().int(),
  named_organizations: z.number().int(),
  suspended_organizations: z.number().int(),
  detached_organizations: z.number().int(),
  sites: z.number().int(),
  versions: z.number().int(),
  /** Bytes of distinct contents, each stored and counted once for the whole installation. */
  stored_bytes: z.number().int(),
  /** Versions sealed in the last 24 hours. */
  deploys_last_day: z.number().int(),
  active_sessions: z.number().int(),
  active_credentials: z.number().int(),
  /** Messages waiting, and those abandoned. */
  waiting_mails: z.number().int(),
  failed_mails: z.number().int(),
});
export type InstallationStats = z.infer<typeof installationStatsSchema>;

const machineProcessSchema = z.object({
  name: z.string(),
  is_ready: z.boolean(),
  /** Whether it hangs. Earlier programs do not report it. */
  is_silent: z.boolean().default(false),
  /** How often it was started, including replacements. */
  starts: z.number().int(),
});
export type MachineProcess = z.infer<typeof machineProcessSchema>;

/** A machine's processes; empty when one process has all parts. */
export const machineProcessesSchema = z.array(machineProcessSchema);

/** What runs on this machine and on others, its dependencies, its queues, and the state of billing. */
export const installationHealthSchema = z.object({
  /** Of this machine. */
  processes: machineProcessesSchema,
  /** The other machines of the last day, by name. */
  machines: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Whether it reported within the last minutes. */
      is_alive: z.boolean(),
      seen_at: instantSchema,
      /** As of its last report. */
      processes: machineProcessesSchema,
    }),
  ),
  /**
   * The dependencies of the installation: the database, the store, and issuer and mail server if configured.
   * A full store answers, but takes no uploads.
   */
  dependencies: z.array(
    z.object({ name: z.string(), is_up: z.boolean(), is_full: z.boolean(), is_read_only: z.boolean() }),
  ),
  queues: z.array(
    z.object({
      queue: z.enum(QUEUE_NAMES),
      waiting: z.number().int(),
      oldest_at: instantSchema.nullable(),
    }),
  ),
  billing: z.object({
    mode: z.enum(['off', 'sandbox', 'test', 'live']),
    /**
     * The last month that was closed, e.g. 2026-10, for how many organizations, and when the last of them
     * was; null before the first.
     */
    last_run: z
      .object({ month: z.string(), organizations: z.number().int(), closed_at: instantSchema })
      .nullable(),
    /** Unpaid invoices. */
    open_invoices: z.number().int(),
    /** Invoices that cannot be sent without an operator's help. */
    held_invoices: z.number().int(),
    /** Invoices with a dispute that no bank has decided. */
    disputed_invoices: z.number().int(),
    /** Refunds that a bank rejected and nobody has given back by other means. */
    rejected_refunds: z.number().int(),
  }),
});
export type InstallationHealth = z.infer<typeof installationHealthSchema>;

/**
 * What all sites of the installation served, by day (UTC), oldest first, including days without a request.
 */
export const installationUsageSchema = z.object({
  days: z.array(
    z.object({
      day: z.iso.date(),
      requests: z.number().int(),
      bytes_sent: z.number().int(),
      /** Answers with a server error. */
      errors: z.number().int(),
    }),
  ),
});
export type InstallationUsage = z.infer<typeof installationUsageSchema>;
