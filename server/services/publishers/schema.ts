import { z } from 'zod';
import { createdAtSchema, idSchema, instantSchema, lineSchema } from '../shared/schema.ts';

const mayPublishSchema = z
  .boolean()
  .describe('Whether its runs publish versions; otherwise they create previews.');

/** A repository whose CI may deploy to a site without a stored secret. */
export const publisherSchema = z.object({
  id: idSchema.describe('For removing the repository from the list.'),
  site_id: idSchema.describe('The site that its runs deploy to.'),
  issuer: z
    .string()
    .describe('Who signs the identity tokens of its runs: the address of the code host’s issuer.'),
  repository: z.string().describe('`owner/name`, as in its address.'),
  branch: z
    .string()
    .describe('Which branch its runs must be on, in the form in which it was added; `*` for any.'),
  environment: z
    .string()
    .nullable()
    .describe('The environment of the code host that its runs must use; null if that does not matter.'),
  may_publish: mayPublishSchema,
  created_at: createdAtSchema,
  last_used_at: instantSchema
    .nullable()
    .describe('When one of its runs last exchanged a token; null if none has.'),
});
export type Publisher = z.infer<typeof publisherSchema>;

export const publishersInput = z.object({ site_id: idSchema });
export const publishersSchema = z.object({
  publishers: z.array(publisherSchema).describe('The repositories that the site trusts.'),
  issuers: z
    .array(z.string())
    .describe('Addresses of the issuers whose identity tokens this installation accepts.'),
});

export const addPublisherInput = publishersInput.extend({
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(300)
    .describe(
      'The address of an issuer that this installation accepts, such as ' +
        '`https://token.actions.githubusercontent.com`.',
    ),
  repository: lineSchema
    .max(200)
    .regex(/^[\w.-]+(\/[\w.-]+)+$/, 'must be owner/name as in the address of the repository')
    .describe('`owner/name`, as in the address of the repository; at most 200 characters.'),
  branch: lineSchema
    .max(200)
    .regex(/^([\w./-]+\*?|\*)$/, 'must be a branch such as main, release/* or *')
    .default('main')
    .describe('A branch (`main`), a prefix (`release/*`), a full ref (`refs/tags/*`), or `*` for any.'),
  environment: lineSchema
    .max(100)
    .nullish()
    .describe(
      'The environment of the code host that its runs must use, at most 100 characters; absent or null if that ' +
        'does not matter.',
    ),
  may_publish: mayPublishSchema.default(true),
});
export const removePublisherInput = publishersInput.extend({ publisher_id: idSchema });

export const exchangeIdentityTokenInput = z.object({
  token: z
    .string()
    .min(1)
    .max(8_192)
    .describe(
      'The identity token (OpenID Connect) of the run, with this installation’s address as audience. Each works ' +
        'once.',
    ),
  site: lineSchema.min(1).max(100).describe('Id of the site, or the name in its address.'),
});
/** A credential for one site. Both keys are used like those of any other. */
export const exchangedCredentialSchema = z.object({
  site_id: idSchema.describe('The only site that the keys reach.'),
  public_key: z.string().describe('Used like that of any other credential.'),
  secret_key: z
    .string()
    .describe('Used like that of any other credential. It is in this response and in no other.'),
  expires_at: instantSchema.describe('When the keys stop working: 15 minutes after the exchange.'),
  may_publish: z
    .boolean()
    .describe('Whether versions may be published with them; otherwise `publish` must be false.'),
});
export type ExchangedCredential = z.infer<typeof exchangedCredentialSchema>;
