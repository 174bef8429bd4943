import { z } from 'zod';
import {
  createdAtSchema,
  INSTANT_LENGTH_MAX,
  idSchema,
  instantSchema,
  lineSchema,
  pageInputSchema,
  pageOf,
  proseSchema,
  shownLineSchema,
} from '../shared/schema.ts';

const scopeSchema = z.object({
  resource_type: z.enum(['site', 'bucket']).describe('Whether `resource_id` is a site or a bucket.'),
  resource_id: idSchema.describe('The site or bucket that the credential reaches.'),
  permissions: z
    .array(z.enum(['read', 'write']))
    .min(1)
    .describe('`read` looks and downloads, `write` deploys or uploads. The console always sends both.'),
});
export type Scope = z.infer<typeof scopeSchema>;

const mayCreateBuckets = z
  .boolean()
  .describe('Whether it may create buckets, which it then reaches, and delete those that it reaches.');

/** A credential. Scopes carry the resource's name for the chips; null when it is gone. */
export const credentialSchema = z.object({
  id: idSchema.describe('For reading, changing and deleting the credential; it is not its public key.'),
  name: z.string().describe('What it is called in lists and in the audit log.'),
  description: z.string().nullable().describe('What it is for; null if nobody said.'),
  public_key: z
    .string()
    .describe(
      '`ptgpk_…`: the user name of `Basic`, the first part of `Bearer`, and the access key of S3. No secret.',
    ),
  is_active: z
    .boolean()
    .describe(
      'False when it has been turned off: every request with it is then 401. `expires_at` says whether it has ' +
        'expired.',
    ),
  created_at: createdAtSchema,
  last_used_at: instantSchema
    .nullable()
    .describe('When a request with it last arrived, to within a minute; null if none has.'),
  expires_at: instantSchema.nullable().describe('When it stops working; null for never.'),
  scopes: z
    .array(
      scopeSchema.extend({
        resource_name: z
          .string()
          .nullable()
          .describe('The current name of the site or bucket; null when it has been deleted.'),
      }),
    )
    .describe('The sites and buckets that it reaches; empty means no access.'),
  may_create_buckets: mayCreateBuckets,
});
export type Credential = z.infer<typeof credentialSchema>;

const scopesInput = z
  .array(scopeSchema.extend({ permissions: scopeSchema.shape.permissions.max(2) }))
  .max(200)
  .describe('All sites and buckets that it reaches, 200 at most. Empty: no access.');

export const pageCredentialsInput = pageInputSchema.extend({ search: lineSchema.max(100).optional() });
export const credentialPageSchema = pageOf(credentialSchema);
export const credentialInput = z.object({ credential_id: idSchema });
export const createCredentialInput = z.object({
  name: shownLineSchema
    .max(100)
    .describe('What it is called in lists and in the audit log: 1 to 100 characters.'),
  description: proseSchema
    .max(500)
    .nullish()
    .describe('What it is for, at most 500 characters; absent or null for nothing.'),
  expires_at: z.iso
    .datetime({ offset: true })
    .max(INSTANT_LENGTH_MAX)
    .nullish()
    .describe('When it stops working, in the future; absent or null for never.'),
  scopes: scopesInput.default([]),
  may_create_buckets: mayCreateBuckets.default(false),
});
/** The secret key is in this response and never anywhere else. */
export const createCredentialResult = z.object({
  credential: credentialSchema.describe('Its fields as later reads return them, without the secret key.'),
  secret_key: z
    .string()
    .describe(
      '`ptgsk_…`: the password of `Basic`, the second part of `Bearer`, and the secret of S3. It is in this ' +
        'response and in no other.',
    ),
});
export type CreateCredentialResult = z.infer<typeof createCredentialResult>;
export const updateScopesInput = credentialInput.extend({
  scopes: scopesInput,
  /** Stays as it is when absent. */
  may_create_buckets: mayCreateBuckets.optional(),
});
