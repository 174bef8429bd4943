import type { z } from 'zod';

type IdentitySchemas = typeof import('#server/services/identity/schema.ts');

/** What the identity service takes and returns, by the name of its schema. */
export type SchemaName = {
  [N in keyof IdentitySchemas]: IdentitySchemas[N] extends z.ZodType ? N : never;
}[keyof IdentitySchemas];
export type SchemaOf<N extends SchemaName> = Extract<IdentitySchemas[N], z.ZodType>;

/** Loads a schema: those who only look at a form do without the library that checks it. */
export async function loadIdentitySchema<N extends SchemaName>(name: N): Promise<SchemaOf<N>> {
  const schemas: IdentitySchemas = await import('#server/services/identity/schema.ts');
  // Safe: SchemaName is made of the names that are schemas.
  return schemas[name] as SchemaOf<N>;
}
