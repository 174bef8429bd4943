import { z } from 'zod';
import {
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  shownLineSchema,
} from '../shared/schema.ts';

const scopeSchema = z.object({
  resource_type: z.enum(['site', 'bucket']),
  resource_id: idSchema,
  /** The interface always sends read and write. */
  permissions: z.array(z.enum(['read', 'write'])).min(1),
});
export type Scope = z.infer<typeof scopeSchema>;

/** A credential. Scopes carry the resource's name for the chips; null when it is gone. */
export const credentialSchema = z.object({
  id: idSchema,
  name: z.string(),
  description: z.string().nullable(),
  public_key: z.string(),
  is_active: z.boolean(),
  created_at: instantSchema,
  last_used_at: instantSchema.nullable(),
  expires_at: instantSchema.nullable(),
  scopes: z.array(scopeSchema.extend({ resource_name: z.string().nullable() })),
  /** Whether it may create buckets, which it then reaches, and delete those that it reaches. */
  may_create_buckets: z.boolean(),
});
export type Credential = z.infer<typeof credentialSchema>;

const scopesInput = z.array(scopeSchema).max(200);

export const pageCredentialsInput = pageInputSchema.extend({ search: lineSchema.max(100).optional() });
export const credentialPageSchema = pageOf(credentialSchema);
export const credentialInput = z.object({ credential_id: idSchema });
export const createCredentialInput = z.object({
  /** The verb refuses an empty name with credential_name_required. */
  name: shownLineSchema.max(100),
  description: proseSchema.max(500).nullish(),
  /** In the future; absent for never. */
  expires_at: z.iso.datetime({ offset: true }).nullish(),
  scopes: scopesInput.default([]),
  may_create_buckets: z.boolean().default(false),
});
/** The secret key is in this response and never anywhere else. */
export const createCredentialResult = z.object({ credential: credentialSchema, secret_key: z.string() });
export type CreateCredentialResult = z.infer<typeof createCredentialResult>;
export const updateScopesInput = credentialInput.extend({
  scopes: scopesInput,
  /** Stays as it is when absent. */
  may_create_buckets: z.boolean().optional(),
});
