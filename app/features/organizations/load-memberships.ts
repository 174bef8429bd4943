import { isUnauthenticated } from '../../i18n/errors/read-error.ts';
import type { RouterContext } from '../../router.tsx';

/** Loads the signed-in person and their memberships, as a MembershipsProvider needs them; null without one. */
export async function loadMemberships({ trpc }: Pick<RouterContext, 'trpc'>) {
  try {
    const [user, memberships, stored] = await Promise.all([
      trpc.user.me.ensureData(),
      trpc.organizations.list.ensureData(),
      trpc.organizations.context.ensureData(),
    ]);
    return { user, memberships, stored };
  } catch (error) {
    if (isUnauthenticated(error)) return null;
    throw error;
  }
}
