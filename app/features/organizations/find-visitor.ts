import type { User } from '#server/services/identity/schema.ts';
import { isUnauthenticated } from '../../i18n/errors/read-error.ts';
import type { RouterContext } from '../../router.tsx';

/** Returns the visitor of a page that anyone may open: the signed-in person, or null. */
export async function findVisitor({ trpc }: Pick<RouterContext, 'trpc'>): Promise<User | null> {
  return trpc.user.me.ensureData().catch((error: unknown) => {
    if (isUnauthenticated(error)) return null;
    throw error;
  });
}
