import { z } from 'zod';
import type { Executor } from '#db/client.ts';
import { EMBEDDED_ISSUER, isLanguage, type Language } from '../../identity/rules.ts';

/** A person who receives messages about an organization. */
export interface Administrator {
  email: string;
  /** Chosen in the console or at the registration; null when unknown. */
  language: Language | null;
}

const emailSchema = z.email().max(254);

/** Returns the owners and administrators of an organization who have an address, each address once. */
export async function findAdministrators(
  executor: Executor,
  organizationId: string,
): Promise<Administrator[]> {
  const administrators = await findAdministratorsOfMany(executor, [organizationId]);
  return administrators.get(organizationId) ?? [];
}

/** Returns the same of many organizations; those without any have no entry. */
export async function findAdministratorsOfMany(
  executor: Executor,
  organizationIds: readonly string[],
): Promise<Map<string, Administrator[]>> {
  const rows = await executor
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .leftJoin('identity_accounts', (join) =>
      join
        .on('users.issuer', '=', EMBEDDED_ISSUER)
        .on((eb) => eb(eb.cast<string>('identity_accounts.number', 'text'), '=', eb.ref('users.subject'))),
    )
    .select(['memberships.organization_id', 'users.email', 'users.language_preference'])
    .select('identity_accounts.language')
    .where('memberships.organization_id', 'in', organizationIds)
    .where('memberships.permission', 'in', ['admin', 'owner'])
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .execute();
  const byOrganization = Map.groupBy(rows, ({ organization_id }) => organization_id);
  return new Map([...byOrganization].map(([id, own]) => [id, onePerAddress(own)]));
}

function onePerAddress(
  rows: readonly { email: string; language_preference: string | null; language: string | null }[],
): Administrator[] {
  const found = new Map<string, Administrator>();
  for (const { email, language_preference, language } of rows) {
    const key = email.toLowerCase();
    if (found.has(key) || !emailSchema.safeParse(email).success) continue;
    const known = language_preference ?? language;
    found.set(key, { email, language: isLanguage(known) ? known : null });
  }
  return [...found.values()];
}
