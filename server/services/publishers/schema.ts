import { z } from 'zod';
import { idSchema, instantSchema, lineSchema } from '../shared/schema.ts';

/** A repository whose CI may deploy to a site without a stored secret. */
export const publisherSchema = z.object({
  id: idSchema,
  site_id: idSchema,
  issuer: z.string(),
  repository: z.string(),
  /** A branch (`main`), a prefix (`release/*`), a full ref (`refs/tags/*`), or `*` for any. */
  branch: z.string(),
  environment: z.string().nullable(),
  /** Whether its runs publish versions; otherwise they create previews. */
  may_publish: z.boolean(),
  created_at: instantSchema,
  last_used_at: instantSchema.nullable(),
});
export type Publisher = z.infer<typeof publisherSchema>;

export const publishersInput = z.object({ site_id: idSchema });
export const publishersSchema = z.object({
  publishers: z.array(publisherSchema),
  /** The issuers whose identity tokens this installation accepts. */
  issuers: z.array(z.string()),
});

export const addPublisherInput = publishersInput.extend({
  issuer: z.url({ protocol: /^https?$/ }).max(300),
  repository: lineSchema
    .max(200)
    .regex(/^[\w.-]+(\/[\w.-]+)+$/, 'must be owner/name as in the address of the repository'),
  branch: lineSchema
    .max(200)
    .regex(/^([\w./-]+\*?|\*)$/, 'must be a branch such as main, release/* or *')
    .default('main'),
  environment: lineSchema.max(100).nullish(),
  may_publish: z.boolean().default(true),
});
export const removePublisherInput = publishersInput.extend({ publisher_id: idSchema });

export const exchangeIdentityTokenInput = z.object({
  /** The identity token (OpenID Connect) of the run, for this installation's address as audience. */
  token: z.string().min(1).max(8_192),
  /** Id or address of the site. */
  site: lineSchema.min(1).max(100),
});
/** A credential for one site. Both keys are used like those of any other. */
export const exchangedCredentialSchema = z.object({
  site_id: idSchema,
  public_key: z.string(),
  secret_key: z.string(),
  expires_at: instantSchema,
  may_publish: z.boolean(),
});
export type ExchangedCredential = z.infer<typeof exchangedCredentialSchema>;
